// id: abstract_datagram
// class: sockets
// rows: 42
// axis: process_contained
// attempt: sends a datagram to an abstract socket of the host's
// expected: EPERM, EACCES, ENOENT, ECONNREFUSED
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    struct sockaddr_un address;
    socklen_t length = abstract(&address);
    memcpy((char *)&address + length, "-mail", 5);
    attempt();
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) refused(errno);
    report(sendto(fd, "x", 1, 0, (void *)&address, length + 5));
}
