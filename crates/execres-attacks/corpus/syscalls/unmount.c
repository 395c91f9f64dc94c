// id: unmount
// class: syscalls
// rows: 23
// axis: syscalls_restricted
// attempt: takes a mount off
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_umount2, "/no/such/place", 0));
}
