// id: limits_of_init
// class: privilege
// rows: 13, 52
// axis: process_contained
// attempt: lowers the limits of the run's supervisor, which has its user
// expected: EPERM
// witness: word
// where: own-init
// control: reasoned: outside the first process is the system's own
#include "attack.h"
int main(void) {
    struct rlimit few = {3, 3};
    attempt();
    if (prlimit(1, RLIMIT_NOFILE, &few, 0) == 0) worked("open files");
    if (setpriority(PRIO_PROCESS, 1, 19) == 0) worked("priority");
    struct sched_param none = {0};
    if (sched_setscheduler(1, SCHED_IDLE, &none) == 0) worked("scheduler");
    refused(EPERM);
}
