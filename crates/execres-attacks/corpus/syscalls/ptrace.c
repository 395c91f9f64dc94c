// id: ptrace
// class: syscalls
// rows: 18, 14
// axis: syscalls_restricted
// attempt: steers a process
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_ptrace, 9999, 0, 0, 0));
}
