// id: raise_priority
// class: privilege
// rows: 6
// axis: privilege_escalation_blocked
// attempt: gives itself priority and real-time scheduling
// expected: EPERM, EACCES
// witness: word
// control: reasoned: an ordinary identity is refused outside as well
#include "attack.h"
int main(void) {
    struct sched_param high = {.sched_priority = 50};
    attempt();
    if (setpriority(PRIO_PROCESS, 0, -10) == 0) worked("a nice value");
    if (sched_setscheduler(0, SCHED_FIFO, &high) == 0) worked("a real-time class");
    if (syscall(SYS_ioprio_set, 1, 0, 1 << 13) == 0) worked("a real-time class for disks");
    refused(EPERM);
}
