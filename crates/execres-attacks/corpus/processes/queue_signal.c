// id: queue_signal
// class: processes
// rows: 13
// axis: process_contained
// attempt: queues a signal with a value
// expected: ESRCH, EPERM
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    union sigval value = {.sival_int = 7};
    report(sigqueue(number("PID"), SIGRTMIN + 1, value));
}
