// id: system_settings
// class: kernel
// rows: 20
// axis: host_filesystem_restricted
// attempt: changes settings of the kernel
// expected: ENOENT, EACCES, EROFS, EPERM, EIO, ENXIO
// witness: word
// control: reasoned: they are the system's own, which an ordinary identity is refused outside, and root must not be
//    let
#include "attack.h"
int main(void) {
    const char *paths[] = {"/proc/sys/kernel/hostname", "/proc/sys/kernel/modprobe", "/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/randomize_va_space", "/proc/sys/net/ipv4/ip_forward", "/proc/sys/fs/file-max", 0};
    open_one_for_writing(paths);
}
