// id: pidfd_signal
// class: processes
// rows: 13
// axis: process_contained
// attempt: opens a process as a descriptor and signals it through that
// expected: ESRCH, EPERM
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    int fd = syscall(SYS_pidfd_open, number("PID"), 0);
    if (fd < 0) refused(errno);
    report(syscall(SYS_pidfd_send_signal, fd, SIGUSR1, 0, 0));
}
