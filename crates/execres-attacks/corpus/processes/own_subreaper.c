// id: own_subreaper
// class: processes
// rows: 10, 14
// axis: process_contained
// attempt: adopts its orphans itself, so that the supervisor does not get them, and leaves them
// expected: no effect
// witness: processes
// control: reasoned: outside the supervisor ends daemons as well; without the namespace it is seen to stay
#include "attack.h"
int main(void) {
    attempt();
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (fork() == 0) {
        if (fork() == 0) { setsid(); sleep(60); }
        _exit(0);
    }
    usleep(10000);
    attempted();
}
