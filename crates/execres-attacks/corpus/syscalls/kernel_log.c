// id: kernel_log
// class: syscalls
// rows: 20
// axis: syscalls_restricted
// attempt: reads the log of the kernel
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_syslog, 9999, 0, 0));
}
