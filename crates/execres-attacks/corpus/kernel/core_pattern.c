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
    open_one_for_writing(paths);
}
