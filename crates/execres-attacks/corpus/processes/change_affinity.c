// id: change_affinity
// class: processes
// rows: 6
// axis: process_contained
// attempt: pins a process of the host to one processor
// expected: ESRCH, EPERM, ENODEV
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) cannot("there is one processor only");
    attempt();
    report(sched_setaffinity(number("PID"), sizeof one, &one));
}
