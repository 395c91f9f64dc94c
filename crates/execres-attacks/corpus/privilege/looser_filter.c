// id: looser_filter
// class: privilege
// rows: 27
// axis: syscalls_restricted
// attempt: installs a filter of its own that allows everything, and calls what is refused
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
int main(void) {
    struct sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {1, allow};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    attempt();
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
    report(syscall(SYS_keyctl, 9999));
}
