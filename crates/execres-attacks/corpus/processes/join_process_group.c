// id: join_process_group
// class: processes
// rows: 13
// axis: process_contained
// attempt: joins the session or group of a process of the host, to get its terminal signals
// expected: EPERM, ESRCH
// witness: word, victim
// control: reasoned: the kernel keeps groups within a session outside as well
#include "attack.h"
int main(void) {
    attempt();
    report(setpgid(0, getpgid(number("PID")) > 0 ? getpgid(number("PID")) : (int)number("PID")));
}
