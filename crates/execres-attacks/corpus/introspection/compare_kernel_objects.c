// id: compare_kernel_objects
// class: introspection
// rows: 18
// axis: syscalls_restricted
// attempt: learns addresses of kernel objects by comparing them
// expected: EPERM
// witness: word
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_kcmp, getpid(), getpid(), 0, 0, 1));
}
