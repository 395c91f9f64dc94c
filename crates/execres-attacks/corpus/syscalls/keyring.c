// id: keyring
// class: syscalls
// rows: 24
// axis: syscalls_restricted
// attempt: reaches into the kernel's keyrings
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_keyctl, 9999));
}
