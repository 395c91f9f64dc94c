// id: change_limits
// class: processes
// rows: 6
// axis: process_contained
// attempt: lowers the open files of a process of the host
// expected: ESRCH, EPERM
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    struct rlimit few = {8, 8};
    attempt();
    report(prlimit(number("PID"), RLIMIT_NOFILE, &few, 0));
}
