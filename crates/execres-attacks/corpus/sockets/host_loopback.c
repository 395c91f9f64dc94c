// id: host_loopback
// class: sockets
// rows: 45
// axis: network
// attempt: connects to a port of the host's loopback
// expected: EPERM, EACCES, EAFNOSUPPORT, ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL, EHOSTUNREACH
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(number("TCP"))};
    attempt();
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) refused(errno);
    report(connect(fd, (void *)&address, sizeof address));
}
