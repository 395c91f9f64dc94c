// id: listen
// class: sockets
// rows: 47
// axis: network
// attempt: listens on every address
// expected: EPERM, EACCES, EAFNOSUPPORT, ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL, EHOSTUNREACH
// witness: word
// where: no-network
// control: outside
#include "attack.h"
int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    attempt();
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) refused(errno);
    if (bind(fd, (void *)&address, sizeof address)) refused(errno);
    report(listen(fd, 1));
}
