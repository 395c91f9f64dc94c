// id: become_root
// class: privilege
// rows: 21, 24
// axis: privilege_escalation_blocked
// attempt: sets its ids to root's
// expected: EPERM, EINVAL
// witness: word
// control: outside in namespaces
#include "attack.h"
int main(void) {
    attempt();
    report(setresuid(0, 0, 0));
}
