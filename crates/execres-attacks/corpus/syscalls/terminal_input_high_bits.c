// id: terminal_input_high_bits
// class: syscalls
// rows: 28, 26
// axis: syscalls_restricted
// attempt: types into the terminal, with high bits in the request
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_ioctl, -1, 0xdead00005412UL, "x"));
}
