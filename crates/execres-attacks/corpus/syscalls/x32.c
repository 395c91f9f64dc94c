// id: x32
// class: syscalls
// rows: 26
// axis: syscalls_restricted
// attempt: makes a call by its x32 number
// expected: ENOSYS
// witness: errno
// control: reasoned: most kernels have no x32 and answer the same outside
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(0x40000000L | 521, 9999, 0, 0, 0));
}
