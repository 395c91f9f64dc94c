// id: mapped_address
// class: sockets
// rows: 45
// axis: network
// attempt: connects to an IPv4 address that is written as an IPv6 address
// expected: EPERM, EACCES, EAFNOSUPPORT, ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL, EHOSTUNREACH
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(number("TCP"))};
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr);
    attempt();
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) refused(errno);
    report(connect(fd, (void *)&address, sizeof address));
}
