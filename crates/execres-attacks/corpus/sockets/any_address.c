// id: any_address
// class: sockets
// rows: 45
// axis: network
// attempt: connects to 0.0.0.0, which is the loopback
// expected: EPERM, EACCES, EAFNOSUPPORT, ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL, EHOSTUNREACH
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(number("TCP"))};
    attempt();
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) refused(errno);
    report(connect(fd, (void *)&address, sizeof address));
}
