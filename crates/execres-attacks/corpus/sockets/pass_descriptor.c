// id: pass_descriptor
// class: sockets
// rows: 44
// axis: process_contained
// attempt: passes a descriptor of its own to a process of the host
// expected: EPERM, EACCES, ENOENT, ECONNREFUSED
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    struct sockaddr_un address;
    socklen_t length = abstract(&address);
    memcpy((char *)&address + length, "-mail", 5);
    char room[CMSG_SPACE(sizeof(int))] = {0}, byte = 'x';
    struct iovec vector = {&byte, 1};
    struct msghdr message = {&address, length + 5, &vector, 1, room, sizeof room, 0};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    *(int *)CMSG_DATA(head) = 1;
    attempt();
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) refused(errno);
    report(sendmsg(fd, &message, 0));
}
