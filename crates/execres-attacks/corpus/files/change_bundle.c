// id: change_bundle
// class: files
// rows: 34
// axis: host_filesystem_restricted
// attempt: overwrites the bundle that it was started from
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: files
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/target", given("BUNDLE"));
    attempt();
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0) refused(errno);
    report(write(fd, "changed", 7));
}
