// id: own_notifier
// class: privilege
// rows: 27, 52
// axis: syscalls_restricted
// attempt: installs a filter whose calls it answers itself, and lets a refused call go on
// expected: EPERM, EBUSY
// witness: errno
// control: differential
#include "attack.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
int main(void) {
    struct sock_filter ask[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_keyctl, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {4, ask};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    attempt();
    int listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (listener < 0) refused(errno);
    pid_t child = fork();
    if (child == 0) {
        syscall(SYS_keyctl, 9999);
        _exit(errno);
    }
    // A call that the outer filter refuses never gets here, so the wait is bounded.
    struct { int fd; short events, got; } one = {listener, 1, 0};
    if (poll(&one, 1, 200) == 1) {
        struct seccomp_notif question = {0};
        ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &question);
        struct seccomp_notif_resp go_on = {question.id, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE};
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &go_on);
    }
    int status;
    waitpid(child, &status, 0);
    refused(WEXITSTATUS(status));
}
