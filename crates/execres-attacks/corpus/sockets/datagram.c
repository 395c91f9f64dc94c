// id: datagram
// class: sockets
// rows: 46
// axis: network
// attempt: sends a datagram to a port of the host's loopback
// expected: EPERM, EACCES, EAFNOSUPPORT, ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL, EHOSTUNREACH, no effect
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(number("UDP"))};
    attempt();
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) refused(errno);
    if (sendto(fd, "x", 1, 0, (void *)&address, sizeof address) < 0) refused(errno);
    attempted();
}
