// id: mount_attributes
// class: syscalls
// rows: 23
// axis: syscalls_restricted
// attempt: makes a mount writable
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_mount_setattr, -1, "no-such-place", 0, 0, 0));
}
