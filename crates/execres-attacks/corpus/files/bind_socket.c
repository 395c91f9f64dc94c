// id: bind_socket
// class: files
// rows: 31, 42
// axis: host_filesystem_restricted
// attempt: makes a socket among the host's files
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: files
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX], other[PATH_MAX];
    snprintf(path, sizeof path, "%s/target", given("OUTSIDE"));
    snprintf(other, sizeof other, "%s/second", given("OUTSIDE"));
    attempt();
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/s", given("OUTSIDE"));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0) refused(errno);
    report(bind(fd, (void *)&address, sizeof address));
}
