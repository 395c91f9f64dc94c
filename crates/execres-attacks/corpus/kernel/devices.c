// id: devices
// class: kernel
// rows: 20, 24
// axis: host_filesystem_restricted
// attempt: opens disks, the virtual machine monitor and other devices
// expected: ENOENT, EACCES, EROFS, EPERM, EIO, ENXIO
// witness: word
// control: reasoned: they are the system's own, which an ordinary identity is refused outside, and root must not be
//    let
#include "attack.h"
int main(void) {
    const char *paths[] = {"/dev/kvm", "/dev/sda", "/dev/vda", "/dev/nvme0n1", "/dev/fuse", "/dev/loop-control", "/dev/net/tun", "/dev/vhost-net", "/dev/uinput", "/dev/snapshot", "/dev/userfaultfd", "/dev/rtc0", 0};
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
