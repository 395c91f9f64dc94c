// id: secret_memory
// class: syscalls
// rows: 24
// axis: syscalls_restricted
// attempt: makes memory that is not accounted for
// expected: ENOSYS
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_memfd_secret, 0x7fffffff));
}
