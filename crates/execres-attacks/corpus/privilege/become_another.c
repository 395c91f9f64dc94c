// id: become_another
// class: privilege
// rows: 21, 24
// axis: privilege_escalation_blocked
// attempt: sets its ids to another user's
// expected: EPERM, EINVAL
// witness: word
// control: reasoned: outside an ordinary identity is refused, and in a namespace of one id there is no other
#include "attack.h"
int main(void) {
    attempt();
    if (setresgid(65534, 65534, 65534) == 0 || setresuid(65534, 65534, 65534) == 0) worked("another id");
    int error = errno;
    setfsuid(0);
    if (setfsuid(-1) == 0) worked("the id for files");
    refused(error);
}
