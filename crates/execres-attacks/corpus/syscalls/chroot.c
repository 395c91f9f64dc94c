// id: chroot
// class: syscalls
// rows: 23
// axis: syscalls_restricted
// attempt: changes its root, to climb out of it
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_chroot, "/no/such/place"));
}
