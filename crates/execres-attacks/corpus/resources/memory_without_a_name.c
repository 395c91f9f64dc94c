// id: memory_without_a_name
// class: resources
// rows: 3
// axis: limits
// limit: memory
// attempt: fills a file in memory that has no name
// expected: out_of_memory, ENOMEM, limit_exceeded, ENOSPC, EFBIG
// witness: outcome, processes
// where: controller
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    static char block[1 << 20];
    memset(block, 1, sizeof block);
    signal(SIGXFSZ, SIG_IGN);
    attempt();
    for (int i = 0; i < 20; i++) {
        int fd = memfd_create("fill", MFD_CLOEXEC);
        if (fd < 0) refused(errno);
        for (int j = 0; j < 8; j++) if (write(fd, block, sizeof block) < 0) refused(errno);
        if (i == 15) usleep(100000);
    }
    worked("160 MiB");
}
