// id: asynchronous_contexts
// class: syscalls
// rows: 25
// axis: syscalls_restricted
// attempt: asks for a context of asynchronous input and output, of which the machine has one number for everybody
// expected: ENOSYS
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    unsigned long context = 0;
    attempt();
    report(syscall(SYS_io_setup, 0, &context));
}
