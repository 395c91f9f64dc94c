// id: open_tree
// class: syscalls
// rows: 23
// axis: syscalls_restricted
// attempt: takes a mount off the tree
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_open_tree, -1, "no-such-place", 0));
}
