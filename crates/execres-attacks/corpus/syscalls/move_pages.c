// id: move_pages
// class: syscalls
// rows: 18
// axis: syscalls_restricted
// attempt: moves pages of another process
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_move_pages, 0x7ffffffe, 1, 0, 0, 0, 0));
}
