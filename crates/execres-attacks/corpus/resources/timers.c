// id: timers
// class: resources
// rows: 6
// axis: limits
// attempt: arms as many timers as it can
// expected: EAGAIN, no effect
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    attempt();
    for (int i = 0; i < 20000; i++) {
        timer_t timer;
        struct sigevent none = {.sigev_notify = SIGEV_NONE};
        if (timer_create(CLOCK_MONOTONIC, &none, &timer)) refused(errno);
    }
    attempted();
}
