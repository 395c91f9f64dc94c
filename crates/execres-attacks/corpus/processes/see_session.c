// id: see_session
// class: processes
// rows: 16
// axis: process_contained
// attempt: asks for the session and group of a process of the host
// expected: ESRCH, EPERM
// witness: word, victim
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    report(getsid(number("PID")));
}
