// id: unshare_high_bits
// class: syscalls
// rows: 22, 26
// axis: syscalls_restricted
// attempt: makes a namespace with high bits in the flags
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_unshare, 0xffffffff00000001UL));
}
