// id: loopback_v6
// class: sockets
// rows: 45
// axis: network
// attempt: connects to a port of the host's loopback over IPv6
// expected: EPERM, EACCES, EAFNOSUPPORT, ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL, EHOSTUNREACH
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT, .sin6_port = htons(number("TCP6"))};
    attempt();
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) refused(errno);
    report(connect(fd, (void *)&address, sizeof address));
}
