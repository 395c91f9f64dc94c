// id: stops_itself
// class: resources
// rows: 8
// axis: limits
// attempt: stops itself and its children
// expected: timed_out
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    attempt();
    fork();
    raise(SIGSTOP);
    for (;;) pause();
}
