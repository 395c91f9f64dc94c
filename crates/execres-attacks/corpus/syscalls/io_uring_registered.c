// id: io_uring_registered
// class: syscalls
// rows: 25
// axis: syscalls_restricted
// attempt: uses a ring by its registered number
// expected: ENOSYS
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_io_uring_enter, -1, 1, 0, 0, 0, 0));
}
