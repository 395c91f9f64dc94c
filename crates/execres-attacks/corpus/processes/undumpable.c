// id: undumpable
// class: processes
// rows: 52
// axis: process_contained
// attempt: makes itself undumpable, so that a supervisor cannot look into it, and stays behind
// expected: no effect, exited
// witness: processes, outcome
// control: reasoned: nothing of the host is reached by it, so there is nothing to see outside
#include "attack.h"
int main(void) {
    attempt();
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (fork() == 0) { setsid(); sleep(60); }
    attempted();
}
