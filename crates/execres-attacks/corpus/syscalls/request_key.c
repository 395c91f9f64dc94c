// id: request_key
// class: syscalls
// rows: 24
// axis: syscalls_restricted
// attempt: has the kernel look for a key in user space
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_request_key, 0, 0, 0, 0));
}
