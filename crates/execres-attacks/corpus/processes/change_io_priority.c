// id: change_io_priority
// class: processes
// rows: 6
// axis: process_contained
// attempt: makes the disk work of a process of the host idle work
// expected: ESRCH, EPERM
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_ioprio_set, 1, number("PID"), 3 << 13));
}
