// id: accounting
// class: syscalls
// rows: 24
// axis: syscalls_restricted
// attempt: has the kernel write its accounting to a file
// expected: EPERM
// witness: word
// control: reasoned: the kernel asks for a capability of the first namespace before it looks at anything, outside as
//    well
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_acct, "/no/such/place"));
}
