// id: pair_taken_apart
// class: sockets
// rows: 42, 44
// axis: process_contained
// attempt: takes a pair of datagram sockets apart and sends to a socket of the host's by its path
// expected: EPERM, EACCES, ENOENT, ECONNREFUSED
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct sockaddr nobody = {.sa_family = AF_UNSPEC};
    snprintf(address.sun_path, sizeof address.sun_path, "%s-mail", given("UNIX"));
    int pair[2];
    attempt();
    /* The kernel makes a datagram socket of a raw one. */
    for (int kind = SOCK_DGRAM; kind <= SOCK_RAW; kind++) {
        if (socketpair(AF_UNIX, kind, 0, pair)) continue;
        if (connect(pair[0], &nobody, sizeof nobody)) refused(errno);
        report(sendto(pair[0], "X", 1, 0, (void *)&address, sizeof address));
    }
    refused(errno);
}
