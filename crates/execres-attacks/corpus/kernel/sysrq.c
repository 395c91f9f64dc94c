// id: sysrq
// class: kernel
// rows: 20
// axis: host_filesystem_restricted
// attempt: asks the kernel to crash or restart the machine
// expected: ENOENT, EACCES, EROFS, EPERM, EIO, ENXIO
// witness: word
// control: reasoned: they are the system's own, which an ordinary identity is refused outside, and root must not be
//    let
#include "attack.h"
int main(void) {
    const char *paths[] = {"/proc/sysrq-trigger", "/proc/sys/kernel/sysrq", 0};
    open_one_for_writing(paths);
}
