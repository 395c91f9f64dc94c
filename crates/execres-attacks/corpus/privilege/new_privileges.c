// id: new_privileges
// class: privilege
// rows: 21
// axis: privilege_escalation_blocked
// attempt: takes back the promise to gain no privileges
// expected: EINVAL
// witness: word
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    long cleared = prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
    int error = errno;
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0) worked("programs may gain privileges");
    if (cleared == 0) worked("the promise was taken back");
    refused(error);
}
