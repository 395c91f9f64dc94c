// id: killed_is_no_memory
// class: results
// rows: 14, 62
// axis: results
// attempt: kills itself, which must not look like the end of memory
// expected: signaled
// witness: outcome
// control: reasoned: what is attacked is the host's own account of a run, which the outside does not have
#include "attack.h"
int main(void) {
    attempt();
    kill(getpid(), SIGKILL);
    pause();
}
