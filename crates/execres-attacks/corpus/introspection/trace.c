// id: trace
// class: introspection
// rows: 18
// axis: process_contained
// attempt: seizes a process of the host as a debugger does
// expected: EPERM, ESRCH
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    if (syscall(SYS_ptrace, 0x4206, number("PID"), 0, 0) < 0) refused(errno);
    usleep(50000);
    worked("it was seized");
}
