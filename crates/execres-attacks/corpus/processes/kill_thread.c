// id: kill_thread
// class: processes
// rows: 13
// axis: process_contained
// attempt: sends a signal to one thread, by thread and group
// expected: ESRCH, EPERM
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_tgkill, number("PID"), number("PID"), SIGUSR1));
}
