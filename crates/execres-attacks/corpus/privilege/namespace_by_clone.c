// id: namespace_by_clone
// class: privilege
// rows: 22, 26
// axis: privilege_escalation_blocked
// attempt: makes a namespace by clone, with high bits set in the flags
// expected: EPERM
// witness: word
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    long child = syscall(SYS_clone, 0x1200000000000000UL | CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    report(child);
}
