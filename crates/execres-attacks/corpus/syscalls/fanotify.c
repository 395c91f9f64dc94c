// id: fanotify
// class: syscalls
// rows: 24, 31
// axis: syscalls_restricted
// attempt: watches file accesses of the machine
// expected: EPERM
// witness: word
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_fanotify_init, 0x200, 0));
}
