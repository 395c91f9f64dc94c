// id: scan_descriptors
// class: inheritance
// rows: 39
// axis: host_filesystem_restricted
// attempt: reads every descriptor that it was started with
// expected: no effect
// witness: secret
// control: reasoned: every way in which the host starts a process closes what is not given
#include "attack.h"
int main(void) {
    attempt();
    for (int fd = 3; fd < 4096; fd++) {
        char buffer[128];
        show(buffer, pread(fd, buffer, sizeof buffer, 0));
        if (fcntl(fd, F_GETFD) >= 0) worked("a descriptor was inherited");
    }
    attempted();
}
