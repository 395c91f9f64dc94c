// id: control_groups
// class: kernel
// rows: 29
// axis: host_filesystem_restricted
// attempt: leaves its control group, and names a program to run when it is empty
// expected: ENOENT, EACCES, EROFS, EPERM
// witness: word
// control: reasoned: the groups are the system's own, which an ordinary identity is refused outside
#include "attack.h"
int main(void) {
    const char *paths[] = {"/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/release_agent", "/sys/fs/cgroup/memory/cgroup.procs", "/sys/fs/cgroup/memory/release_agent", "/sys/fs/cgroup/pids/tasks", "/dev/cgroup/tasks", 0};
    int last = ENOENT;
    attempt();
    for (int i = 0; paths[i]; i++) {
        int fd = open(paths[i], O_WRONLY | O_CLOEXEC);
        if (fd >= 0 && write(fd, "0", 1) == 1) worked(paths[i]);
        last = errno;
    }
    if (mkdir("/sys/fs/cgroup/execres-attack", 0700) == 0) worked("a group was made");
    refused(last);
}
