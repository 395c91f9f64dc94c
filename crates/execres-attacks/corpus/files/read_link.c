// id: read_link
// class: files
// rows: 30
// axis: host_filesystem_restricted
// attempt: reads where a link of the host's leads
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: secret
// where: own-root
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX], to[PATH_MAX];
    snprintf(path, sizeof path, "%s/link", given("OUTSIDE"));
    attempt();
    ssize_t size = readlink(path, to, sizeof to);
    if (size < 0) refused(errno);
    show(to, size);
    worked("it was read");
}
