// id: unix_socket_by_path
// class: sockets
// rows: 42, 44
// axis: process_contained
// attempt: connects to a socket of the host's by its path, and reads what it says
// expected: EPERM, EACCES, ENOENT, ECONNREFUSED
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", given("UNIX"));
    attempt();
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) refused(errno);
    report(connect(fd, (void *)&address, sizeof address));
}
