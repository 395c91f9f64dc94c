// id: daemon
// class: processes
// rows: 10
// axis: process_contained
// attempt: forks twice, leaves its session and stays
// expected: no effect
// witness: processes
// control: reasoned: outside the supervisor ends daemons as well; without the namespace it is seen to stay
#include "attack.h"
int main(void) {
    attempt();
    if (fork() == 0) {
        setsid();
        if (fork() == 0) sleep(60);
        _exit(0);
    }
    usleep(20000);
    attempted();
}
