// id: move_mount
// class: syscalls
// rows: 23
// axis: syscalls_restricted
// attempt: moves a mount
// expected: EPERM
// witness: errno
// control: differential in namespaces
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_move_mount, -1, "no-such", -1, "no-such", 0));
}
