// id: set_groups
// class: privilege
// rows: 24
// axis: privilege_escalation_blocked
// attempt: gives itself groups
// expected: EPERM
// witness: word
// control: reasoned: outside an ordinary identity is refused, and in a namespace that it made it must not
#include "attack.h"
int main(void) {
    gid_t groups[] = {0, 4, 42};
    attempt();
    report(syscall(SYS_setgroups, 3, groups));
}
