// id: steal_port
// class: sockets
// rows: 47
// axis: network
// attempt: listens on the very port of a process of the host, to take its connections
// expected: EPERM, EACCES, EAFNOSUPPORT, ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL, EHOSTUNREACH, no effect, EADDRINUSE
// witness: victim
// control: reasoned: outside the kernel does not give a port twice to who did not share it
#include "attack.h"
int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(number("TCP"))};
    attempt();
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    if (fd < 0) refused(errno);
    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, (void *)&address, sizeof address) || listen(fd, 1)) refused(errno);
    attempted();
}
