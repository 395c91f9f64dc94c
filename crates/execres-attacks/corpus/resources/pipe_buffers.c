// id: pipe_buffers
// class: resources
// rows: 5
// axis: limits
// limit: memory
// attempt: fills the buffers of as many pipes and sockets as it can
// expected: EMFILE, EPERM, ENOMEM, out_of_memory
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    static char block[65536];
    attempt();
    for (int i = 0; i < 400; i++) {
        int ends[2];
        if (i % 2 ? pipe(ends) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) refused(errno);
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        while (write(ends[1], block, sizeof block) > 0) {}
    }
    worked("four hundred buffers");
}
