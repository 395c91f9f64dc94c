// id: mount
// class: syscalls
// rows: 23
// axis: syscalls_restricted
// attempt: mounts a file system
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_mount, "none", "/no/such/place", "no-such-fs", 0, 0));
}
