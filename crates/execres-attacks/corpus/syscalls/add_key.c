// id: add_key
// class: syscalls
// rows: 24
// axis: syscalls_restricted
// attempt: adds a key
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_add_key, 0, 0, 0, 0, 0));
}
