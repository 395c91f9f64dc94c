// id: look_into_init
// class: introspection
// rows: 16, 17
// axis: process_contained
// attempt: opens the memory, environment, descriptors and root of the first process
// expected: EACCES, EPERM, ENOENT
// witness: word
// control: reasoned: outside the first process is the system's own, which refuses an ordinary user
#include "attack.h"
int main(void) {
    const char *files[] = {"mem", "environ", "root/etc", "cwd/etc", "map_files"};
    attempt();
    for (int i = 0; i < 5; i++) {
        char path[64], buffer[1];
        snprintf(path, sizeof path, "/proc/1/%s", files[i]);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) continue;
        if (i > 1) worked(path);
        if (pread(fd, buffer, 1, i ? 0 : 0x400000) > 0) worked(path);
    }
    for (int fd = 0; fd < 64; fd++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/1/fd/%d", fd);
        if (open(path, O_RDONLY | O_CLOEXEC) >= 0) worked(path);
    }
    if (errno == ENOENT) errno = EACCES;
    refused(errno);
}
