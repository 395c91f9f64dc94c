// id: processor
// class: resources
// rows: 6
// axis: limits
// limit: cpu_time
// attempt: spins until its processor time is over, and ignores the signal that says so
// expected: cpu_time
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    signal(SIGXCPU, SIG_IGN);
    attempt();
    for (volatile long i = 0;; i++) {}
}
