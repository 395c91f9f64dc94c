// id: unnamed_file
// class: files
// rows: 31
// axis: host_filesystem_restricted
// attempt: makes a file without a name in a directory of the host's and gives it one
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: files
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX], other[PATH_MAX];
    snprintf(path, sizeof path, "%s/target", given("OUTSIDE"));
    snprintf(other, sizeof other, "%s/second", given("OUTSIDE"));
    attempt();
    int fd = open(given("OUTSIDE"), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) refused(errno);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    strcat(other, "-named");
    report(linkat(AT_FDCWD, path, AT_FDCWD, other, AT_SYMLINK_FOLLOW));
}
