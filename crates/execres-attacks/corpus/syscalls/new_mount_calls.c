// id: new_mount_calls
// class: syscalls
// rows: 23
// axis: syscalls_restricted
// attempt: makes a mount without a place
// expected: EPERM
// witness: errno
// control: differential in namespaces
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_fsopen, "no-such-fs", 0));
}
