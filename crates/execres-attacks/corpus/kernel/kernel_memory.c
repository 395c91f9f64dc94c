// id: kernel_memory
// class: kernel
// rows: 20, 24
// axis: host_filesystem_restricted
// attempt: reads the memory and the log of the kernel
// expected: ENOENT, EACCES, EROFS, EPERM, EIO, ENXIO
// witness: word
// control: reasoned: they are the system's own, which an ordinary identity is refused outside, and root must not be
//    let
#include "attack.h"
int main(void) {
    const char *paths[] = {"/proc/kcore", "/proc/kmsg", "/dev/mem", "/dev/kmem", "/dev/port", "/proc/vmcore", 0};
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
