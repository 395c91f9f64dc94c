// id: multipath
// class: sockets
// rows: 45, 46
// axis: network
// attempt: connects with multipath TCP, which rules for TCP can miss
// expected: EPERM, EACCES, EAFNOSUPPORT, ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL, EHOSTUNREACH, EPROTONOSUPPORT,
//    ENOPROTOOPT
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(number("TCP"))};
    attempt();
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 262);
    if (fd < 0) refused(errno);
    report(connect(fd, (void *)&address, sizeof address));
}
