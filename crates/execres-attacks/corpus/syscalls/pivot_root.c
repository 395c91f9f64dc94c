// id: pivot_root
// class: syscalls
// rows: 23
// axis: syscalls_restricted
// attempt: changes the root of the namespace
// expected: EPERM
// witness: errno
// control: differential in namespaces
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_pivot_root, "/no/such/place", "/no/such/place"));
}
