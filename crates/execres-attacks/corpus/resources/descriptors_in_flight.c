// id: descriptors_in_flight
// class: resources
// rows: 5
// axis: limits
// limit: memory
// attempt: hides descriptors in sockets, beyond the number that it may open
// expected: ETOOMANYREFS, EMFILE, EAGAIN, EPERM, ENOBUFS
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) refused(errno);
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    attempt();
    for (int i = 0; i < 5000; i++) {
        char room[CMSG_SPACE(sizeof(int) * 60)] = {0}, byte = 'x';
        struct iovec vector = {&byte, 1};
        struct msghdr message = {0, 0, &vector, 1, room, sizeof room, 0};
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        *head = (struct cmsghdr){CMSG_LEN(sizeof(int) * 60), SOL_SOCKET, SCM_RIGHTS};
        for (int j = 0; j < 60; j++) ((int *)CMSG_DATA(head))[j] = pair[1];
        if (sendmsg(pair[0], &message, 0) < 0) refused(errno);
    }
    worked("three hundred thousand descriptors");
}
