// id: namespace_by_clone3
// class: privilege
// rows: 22
// axis: privilege_escalation_blocked
// attempt: makes a namespace by clone3, whose flags are in memory
// expected: ENOSYS
// witness: word
// control: outside
#include "attack.h"
#include <linux/sched.h>
int main(void) {
    struct clone_args arguments = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
    attempt();
    long child = syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child == 0) _exit(0);
    report(child);
}
