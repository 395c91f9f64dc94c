// id: list_processes
// class: introspection
// rows: 16
// axis: process_contained
// attempt: prints the command line of every process that it finds
// expected: no effect, EACCES
// witness: secret
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    DIR *all = opendir("/proc");
    if (!all) refused(errno);
    for (struct dirent *one; (one = readdir(all));) {
        char path[300], buffer[4096];
        snprintf(path, sizeof path, "/proc/%s/cmdline", one->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t size = fd < 0 ? 0 : read(fd, buffer, sizeof buffer);
        if (size > 0 && one->d_name[0] >= '0' && one->d_name[0] <= '9') show(buffer, size);
        close(fd);
    }
    attempted();
}
