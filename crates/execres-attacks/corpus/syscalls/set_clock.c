// id: set_clock
// class: syscalls
// rows: 60, 24
// axis: syscalls_restricted
// attempt: sets the clock of the machine
// expected: EPERM
// witness: word
// control: reasoned: the kernel asks for a capability of the first namespace before it looks at anything, outside as
//    well
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_clock_settime, 9999, 0));
}
