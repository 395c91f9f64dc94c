// id: climb_up
// class: files
// rows: 31, 36
// axis: host_filesystem_restricted
// attempt: climbs with .. past its root and down to the host
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: files
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX], other[PATH_MAX];
    snprintf(path, sizeof path, "%s/target", given("OUTSIDE"));
    snprintf(other, sizeof other, "%s/second", given("OUTSIDE"));
    attempt();
    char up[PATH_MAX * 2] = "";
    for (int i = 0; i < 64; i++) strcat(up, "../");
    chdir(given("BUNDLE"));
    strcat(up, path + 1);
    int fd = open(up, O_WRONLY | O_CLOEXEC);
    if (fd < 0) refused(errno);
    report(write(fd, "x", 1));
}
