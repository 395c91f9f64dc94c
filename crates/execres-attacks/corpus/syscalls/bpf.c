// id: bpf
// class: syscalls
// rows: 24
// axis: syscalls_restricted
// attempt: loads a program into the kernel
// expected: EPERM
// witness: errno
// control: reasoned: where unprivileged programs are off, the kernel gives the same answer to an ordinary identity
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_bpf, 9999, 0, 0));
}
