// id: kill_parent
// class: processes
// rows: 13
// axis: process_contained
// attempt: kills whoever started it
// expected: no effect, exited
// witness: outcome
// where: own-init
// control: reasoned: outside the parent is the test itself
#include "attack.h"
int main(void) {
    attempt();
    pid_t child = fork();
    if (child == 0) _exit(getppid() > 1 && 0);
    kill(getppid(), SIGKILL);
    kill(getppid(), SIGSTOP);
    attempted();
}
