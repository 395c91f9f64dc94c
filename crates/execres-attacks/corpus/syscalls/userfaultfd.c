// id: userfaultfd
// class: syscalls
// rows: 24
// axis: syscalls_restricted
// attempt: stops the kernel in the middle of a copy
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_userfaultfd, 0x7fffffff));
}
