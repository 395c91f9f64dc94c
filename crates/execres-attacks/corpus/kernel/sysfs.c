// id: sysfs
// class: kernel
// rows: 20
// axis: host_filesystem_restricted
// attempt: writes what the kernel shows under /sys
// expected: ENOENT, EACCES, EROFS, EPERM, EIO, ENXIO
// witness: word
// control: reasoned: they are the system's own, which an ordinary identity is refused outside, and root must not be
//    let
#include "attack.h"
int main(void) {
    const char *paths[] = {"/sys/kernel/uevent_helper", "/sys/power/state", "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/fs/selinux/enforce", "/sys/kernel/security/lockdown", 0};
    open_one_for_writing(paths);
}
