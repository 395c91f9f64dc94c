// id: metadata_address
// class: sockets
// rows: 45
// axis: network
// attempt: connects to the address at which clouds answer with credentials
// expected: EPERM, EACCES, EAFNOSUPPORT, ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL, EHOSTUNREACH
// witness: word
// where: no-network
// control: reasoned: no packet may be sent towards a real address of a cloud
#include "attack.h"
int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(80)};
    inet_pton(AF_INET, "169.254.169.254", &address.sin_addr);
    attempt();
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) refused(errno);
    if (connect(fd, (void *)&address, sizeof address) < 0 && errno != EINPROGRESS) refused(errno);
    worked("a packet was sent");
}
