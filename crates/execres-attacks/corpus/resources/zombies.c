// id: zombies
// class: resources
// rows: 1
// axis: limits
// limit: processes
// attempt: leaves children that nobody collects
// expected: EAGAIN
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    attempt();
    for (int made = 0; made < 5000; made++) {
        pid_t child = fork();
        if (child < 0) refused(errno);
        if (child == 0) _exit(0);
    }
    worked("five thousand zombies");
}
