// id: advise_memory
// class: introspection
// rows: 18
// axis: syscalls_restricted
// attempt: asks the kernel to throw out memory of another process
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_process_madvise, -1, 0, 0, 0, 0));
}
