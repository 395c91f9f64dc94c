// id: tracing
// class: kernel
// rows: 20
// axis: host_filesystem_restricted
// attempt: reads and switches on the tracing of the kernel
// expected: ENOENT, EACCES, EROFS, EPERM, EIO, ENXIO
// witness: word
// control: reasoned: they are the system's own, which an ordinary identity is refused outside, and root must not be
//    let
#include "attack.h"
int main(void) {
    const char *paths[] = {"/sys/kernel/debug/tracing/trace", "/sys/kernel/tracing/trace", "/sys/kernel/debug/sched/debug", "/proc/sched_debug", "/proc/timer_list", 0};
    char buffer[1];
    int last = ENOENT;
    attempt();
    for (int i = 0; paths[i]; i++) {
        int fd = open(paths[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd >= 0 && read(fd, buffer, 1) >= 0) worked(paths[i]);
        last = errno;
    }
    refused(last);
}
