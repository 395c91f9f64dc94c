// id: signal_by_pipe_owner
// class: processes
// rows: 13
// axis: process_contained
// attempt: makes the kernel send SIGIO for it, to the owner that it names for a socket
// expected: ESRCH, EPERM, no effect
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) cannot("no socket pair");
    attempt();
    if (fcntl(pair[0], F_SETOWN, (int)number("PID"))) refused(errno);
    if (fcntl(pair[0], F_SETSIG, SIGUSR1) || fcntl(pair[0], F_SETFL, O_ASYNC | O_NONBLOCK)) refused(errno);
    write(pair[1], "x", 1);
    attempted();
}
