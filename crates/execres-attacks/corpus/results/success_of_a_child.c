// id: success_of_a_child
// class: results
// rows: 62, 14
// axis: results
// attempt: ends with an error while a child that it leaves ends with success
// expected: exited
// witness: outcome
// control: reasoned: what is attacked is the host's own account of a run, which the outside does not have
#include "attack.h"
int main(void) {
    attempt();
    if (fork() == 0) { usleep(10000); _exit(0); }
    _exit(9);
}
