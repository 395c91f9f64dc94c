// id: terminal_input
// class: syscalls
// rows: 28
// axis: syscalls_restricted
// attempt: types into the terminal that it was started from
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_ioctl, -1, 0x5412UL, "x"));
}
