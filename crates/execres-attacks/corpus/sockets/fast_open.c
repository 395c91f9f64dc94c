// id: fast_open
// class: sockets
// rows: 45
// axis: network
// attempt: connects by sending, without connect
// expected: EPERM, EACCES, EAFNOSUPPORT, ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL, EHOSTUNREACH, EOPNOTSUPP
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(number("TCP"))};
    attempt();
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) refused(errno);
    report(sendto(fd, "x", 1, MSG_FASTOPEN, (void *)&address, sizeof address));
}
