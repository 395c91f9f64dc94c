// id: pseudo_terminals
// class: resources
// rows: 5, 28
// axis: limits
// attempt: opens as many terminals as it can
// expected: EMFILE, ENOSPC, EIO, ENOENT, EACCES
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    attempt();
    for (int i = 0; i < 4096; i++) if (open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC) < 0) refused(errno);
    worked("four thousand terminals");
}
