// id: take_descriptor
// class: introspection
// rows: 18, 39
// axis: process_contained
// attempt: takes a copy of a descriptor out of a process of the host
// expected: EPERM, ESRCH
// witness: secret
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    int process = syscall(SYS_pidfd_open, number("PID"), 0);
    if (process < 0) refused(errno);
    int fd = syscall(SYS_pidfd_getfd, process, number("FD"), 0);
    if (fd < 0) refused(errno);
    char buffer[64];
    show(buffer, pread(fd, buffer, sizeof buffer, 0));
    worked("it was taken");
}
