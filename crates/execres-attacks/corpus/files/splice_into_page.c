// id: splice_into_page
// class: files
// rows: 31
// axis: host_filesystem_restricted
// attempt: splices a page of a file that it may only read into a pipe, and writes to the pipe
// expected: no effect, EINVAL
// witness: files
// control: reasoned: outside the page stays as it is as well; the file would change by a fault of the kernel only
#include "attack.h"
int main(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/target", given("BUNDLE"));
    int fd = open(path, O_RDONLY | O_CLOEXEC), ends[2];
    if (fd < 0 || pipe(ends)) cannot("the bundle cannot be read");
    static char buffer[65536];
    write(ends[1], buffer, sizeof buffer);
    read(ends[0], buffer, sizeof buffer);
    loff_t from = 0;
    attempt();
    if (syscall(SYS_splice, fd, &from, ends[1], 0, 1, 0) < 0) refused(errno);
    write(ends[1], "changed", 7);
    attempted();
}
