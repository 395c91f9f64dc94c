// id: name_lookup
// class: sockets
// rows: 46
// axis: network
// attempt: looks up a name, which carries data out
// expected: EPERM, EACCES, EAFNOSUPPORT, ECONNREFUSED, ENETUNREACH, EADDRNOTAVAIL, EHOSTUNREACH, ENOENT
// witness: word
// where: no-network
// control: reasoned: no question may be sent towards a real server of names
#include "attack.h"
#include <netdb.h>
int main(void) {
    struct addrinfo *found;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    attempt();
    if (getaddrinfo("execres-attack.invalid", "80", &hints, &found) == 0) worked("the name was found");
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (fd >= 0) worked("a datagram could be sent");
    refused(errno);
}
