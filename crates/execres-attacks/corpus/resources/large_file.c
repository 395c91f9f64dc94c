// id: large_file
// class: resources
// rows: 4
// axis: limits
// limit: file_size
// attempt: writes a file that is larger than it may be
// expected: limit_exceeded, EFBIG, ENOSPC
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    char path[PATH_MAX];
    static char block[1 << 20];
    snprintf(path, sizeof path, "%s/large", getenv("TMPDIR"));
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) refused(errno);
    attempt();
    for (int i = 0; i < 32; i++) if (write(fd, block, sizeof block) < 0) refused(errno);
    worked("32 MiB");
}
