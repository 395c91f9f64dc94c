// id: recursive_fork
// class: resources
// rows: 1
// axis: limits
// limit: processes
// attempt: forks in every child, twice
// expected: timed_out
// witness: outcome, processes
// where: own-init
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    attempt();
    for (;;) fork();
}
