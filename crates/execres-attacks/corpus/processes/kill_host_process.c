// id: kill_host_process
// class: processes
// rows: 13
// axis: process_contained
// attempt: sends a signal to a process of the host with the guest's own identity
// expected: ESRCH, EPERM
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    report(kill(number("PID"), SIGUSR1));
}
