// id: take_abstract_name
// class: sockets
// rows: 42
// axis: process_contained
// attempt: takes a name that a process of the host listens at
// expected: no effect, EACCES, EPERM
// witness: victim, word
// where: own-root
// control: reasoned: outside the name is taken and stays so, which says nothing of the sandbox
#include "attack.h"
int main(void) {
    struct sockaddr_un address;
    socklen_t length = abstract(&address);
    attempt();
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) refused(errno);
    if (bind(fd, (void *)&address, length) && errno == EADDRINUSE) worked("the name exists here");
    attempted();
}
