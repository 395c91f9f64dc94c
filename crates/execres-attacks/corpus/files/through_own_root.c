// id: through_own_root
// class: files
// rows: 31, 38
// axis: host_filesystem_restricted
// attempt: writes to a file of the host's through /proc/self/root
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: files
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX], other[PATH_MAX];
    snprintf(path, sizeof path, "%s/target", given("OUTSIDE"));
    snprintf(other, sizeof other, "%s/second", given("OUTSIDE"));
    attempt();
    char through[PATH_MAX + 32];
    snprintf(through, sizeof through, "/proc/self/root%s", path);
    int fd = open(through, O_WRONLY | O_CLOEXEC);
    if (fd < 0) refused(errno);
    report(write(fd, "x", 1));
}
