// id: console_paste
// class: syscalls
// rows: 28
// axis: syscalls_restricted
// attempt: pastes into the console
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_ioctl, -1, 0x541cUL, "x"));
}
