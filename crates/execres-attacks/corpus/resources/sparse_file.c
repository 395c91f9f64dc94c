// id: sparse_file
// class: resources
// rows: 4
// axis: limits
// limit: file_size
// attempt: makes a file of a terabyte that is all holes
// expected: limit_exceeded, EFBIG
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/sparse", getenv("TMPDIR"));
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) refused(errno);
    attempt();
    report(ftruncate(fd, 1L << 40));
}
