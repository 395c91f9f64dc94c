// id: orphans
// class: resources
// rows: 1, 10
// axis: limits
// limit: processes
// attempt: makes orphans without pause, for the supervisor to collect
// expected: no effect
// witness: outcome, processes
// where: own-init
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    attempt();
    for (int made = 0; made < 300; made++) {
        pid_t child = fork();
        if (child == 0) { if (fork() == 0) _exit(0); _exit(0); }
        if (child > 0) waitpid(child, 0, 0);
    }
    attempted();
}
