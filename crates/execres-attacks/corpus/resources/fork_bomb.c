// id: fork_bomb
// class: resources
// rows: 1
// axis: limits
// limit: processes
// attempt: forks as often as it can
// expected: EAGAIN
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    attempt();
    for (int made = 0; made < 200; made++) {
        pid_t child = fork();
        if (child < 0) refused(errno);
        if (child == 0) { pause(); _exit(0); }
    }
    worked("two hundred processes");
}
