// id: ports
// class: syscalls
// rows: 24
// axis: syscalls_restricted
// attempt: takes the ports of the machine
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_iopl, 9999));
}
