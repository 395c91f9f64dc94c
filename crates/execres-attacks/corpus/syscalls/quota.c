// id: quota
// class: syscalls
// rows: 24
// axis: syscalls_restricted
// attempt: changes disk quotas
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_quotactl, 0x7fffffff, "/no/such/place", 0, 0));
}
