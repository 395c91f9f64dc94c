// id: read_through_descriptor
// class: introspection
// rows: 16, 39
// axis: process_contained
// attempt: opens a descriptor of a process of the host through /proc
// expected: ENOENT, EACCES, EPERM
// witness: secret
// control: outside
#include "attack.h"
int main(void) {
    char name[64];
    snprintf(name, sizeof name, "fd/%s", given("FD"));
    const char *path = of_victim(name);
    attempt();
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) refused(errno);
    char buffer[64];
    ssize_t size = pread(fd, buffer, sizeof buffer, 0);
    if (size < 0) refused(errno);
    show(buffer, size);
    worked("it was read");
}
