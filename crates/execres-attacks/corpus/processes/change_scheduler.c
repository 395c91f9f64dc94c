// id: change_scheduler
// class: processes
// rows: 6
// axis: process_contained
// attempt: makes a process of the host idle work
// expected: ESRCH, EPERM
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    struct sched_param none = {0};
    attempt();
    report(sched_setscheduler(number("PID"), SCHED_IDLE, &none));
}
