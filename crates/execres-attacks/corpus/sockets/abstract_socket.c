// id: abstract_socket
// class: sockets
// rows: 42
// axis: process_contained
// attempt: connects to an abstract socket of the host's
// expected: EPERM, EACCES, ENOENT, ECONNREFUSED
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    struct sockaddr_un address;
    socklen_t length = abstract(&address);
    attempt();
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) refused(errno);
    report(connect(fd, (void *)&address, length));
}
