// id: make_device
// class: kernel
// rows: 20, 33
// axis: privilege_escalation_blocked
// attempt: makes a device where it may write, and opens it
// expected: EPERM, EACCES
// witness: word
// control: reasoned: only root of the first namespace makes devices, and it must not be let
#include "attack.h"
int main(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/device", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    attempt();
    if (mknod(path, S_IFBLK | 0600, 8 << 8) == 0 && open(path, O_RDONLY) >= 0) worked("a disk");
    report(mknod(path, S_IFCHR | 0600, (1 << 8) | 1));
}
