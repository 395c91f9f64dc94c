// id: swap
// class: syscalls
// rows: 24
// axis: syscalls_restricted
// attempt: gives the kernel a file to swap to
// expected: EPERM
// witness: word
// control: reasoned: the kernel asks for a capability of the first namespace before it looks at anything, outside as
//    well
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_swapon, "/no/such/place", 0));
}
