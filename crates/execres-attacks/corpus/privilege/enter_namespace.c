// id: enter_namespace
// class: privilege
// rows: 22
// axis: privilege_escalation_blocked
// attempt: enters the namespaces of a process of the host
// expected: EPERM, ENOENT, EACCES
// witness: word, victim
// control: reasoned: outside it is in them already
#include "attack.h"
int main(void) {
    attempt();
    int fd = open(of_victim("ns/net"), O_RDONLY | O_CLOEXEC);
    if (fd < 0) fd = open("/proc/1/ns/net", O_RDONLY | O_CLOEXEC);
    if (fd < 0) fd = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
    if (fd < 0) refused(errno);
    report(setns(fd, 0));
}
