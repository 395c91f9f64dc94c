// id: kexec
// class: syscalls
// rows: 24
// axis: syscalls_restricted
// attempt: starts another kernel
// expected: EPERM
// witness: word
// control: reasoned: the kernel asks for a capability of the first namespace before it looks at anything, outside as
//    well
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_kexec_load, 0, 9999, 0, 0));
}
