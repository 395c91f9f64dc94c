// id: write_memory_file
// class: introspection
// rows: 16
// axis: process_contained
// attempt: writes the memory of a process of the host through /proc
// expected: ENOENT, EACCES, EPERM
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    int fd = open(of_victim("mem"), O_RDWR | O_CLOEXEC);
    if (fd < 0) refused(errno);
    report(pwrite(fd, "overwritten", 11, strtoul(given("MEMORY"), 0, 0)));
}
