// id: kill_everything
// class: processes
// rows: 13, 15
// axis: process_contained
// attempt: sends SIGKILL to every process that it may signal
// expected: signaled
// witness: victim, outcome
// where: own-init
// control: reasoned: outside it would end every process of the same user
#include "attack.h"
int main(void) {
    attempt();
    pid_t child = fork();
    if (child == 0) { kill(-1, SIGKILL); _exit(0); }
    waitpid(child, 0, 0);
    attempted();
}
