// id: io_uring
// class: syscalls
// rows: 25
// axis: syscalls_restricted
// attempt: makes system calls that a filter does not see
// expected: ENOSYS
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_io_uring_setup, 0, 0));
}
