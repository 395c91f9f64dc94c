// id: core_pattern
// class: kernel
// rows: 19, 20
// axis: host_filesystem_restricted
// attempt: names a program of its own as the handler of core files
// expected: ENOENT, EACCES, EROFS, EPERM, EIO, ENXIO
// witness: word
// control: reasoned: they are the system's own, which an ordinary identity is refused outside, and root must not be
//    let
#include "attack.h"
int main(void) {
    const char *paths[] = {"/proc/sys/kernel/core_pattern", "/proc/self/root/proc/sys/kernel/core_pattern", 0};
    char buffer[1];
    int last = ENOENT;
    attempt();
    for (int i = 0; paths[i]; i++) {
        int fd = open(paths[i], O_WRONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd >= 0) worked(paths[i]);
        last = errno;
    }
    refused(last);
}
