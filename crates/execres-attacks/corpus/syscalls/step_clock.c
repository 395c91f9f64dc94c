// id: step_clock
// class: syscalls
// rows: 60
// axis: syscalls_restricted
// attempt: steps the clock of the machine
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_settimeofday, 1, 0));
}
