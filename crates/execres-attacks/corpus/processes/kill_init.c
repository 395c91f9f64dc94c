// id: kill_init
// class: processes
// rows: 13, 15
// axis: process_contained
// attempt: kills and stops the first process of its namespace
// expected: no effect, exited
// witness: outcome
// where: own-init
// control: reasoned: outside the first process is the system's own
#include "attack.h"
int main(void) {
    attempt();
    kill(1, SIGKILL);
    kill(1, SIGSTOP);
    kill(1, SIGTERM);
    attempted();
}
