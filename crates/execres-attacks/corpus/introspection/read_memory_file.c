// id: read_memory_file
// class: introspection
// rows: 16
// axis: process_contained
// attempt: reads the memory of a process of the host through /proc
// expected: ENOENT, EACCES, EPERM
// witness: secret
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    int fd = open(of_victim("mem"), O_RDONLY | O_CLOEXEC);
    if (fd < 0) refused(errno);
    char buffer[64];
    ssize_t size = pread(fd, buffer, sizeof buffer, strtoul(given("MEMORY"), 0, 0));
    if (size < 0) refused(errno);
    show(buffer, size);
    worked("it was read");
}
