// id: setns
// class: syscalls
// rows: 22
// axis: syscalls_restricted
// attempt: enters a namespace by a descriptor
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_setns, -1, 0));
}
