// id: beyond
// class: syscalls
// rows: 26
// axis: syscalls_restricted
// attempt: makes a call that is newer than the filter
// expected: ENOSYS
// witness: errno
// control: reasoned: a number that no kernel has yet gets the same answer outside
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(4000L));
}
