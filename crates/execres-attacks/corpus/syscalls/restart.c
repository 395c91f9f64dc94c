// id: restart
// class: syscalls
// rows: 24
// axis: syscalls_restricted
// attempt: restarts the machine
// expected: EPERM
// witness: word
// control: reasoned: the kernel asks for a capability of the first namespace before it looks at anything, outside as
//    well
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_reboot, 0, 0, 0, 0));
}
