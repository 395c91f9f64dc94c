// id: lower_priority
// class: processes
// rows: 6
// axis: process_contained
// attempt: takes processor time from a process of the host by its nice value
// expected: ESRCH, EPERM
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    report(setpriority(PRIO_PROCESS, number("PID"), 15));
}
