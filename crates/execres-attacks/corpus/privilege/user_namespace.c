// id: user_namespace
// class: privilege
// rows: 22
// axis: privilege_escalation_blocked
// attempt: makes a user namespace, in which it would be root
// expected: EPERM
// witness: word
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    report(unshare(CLONE_NEWUSER));
}
