// id: raises_processor_signal
// class: results
// rows: 14
// axis: results
// attempt: raises the signal of a processor limit that it has not reached
// expected: signaled
// witness: outcome
// control: reasoned: what is attacked is the host's own account of a run, which the outside does not have
#include "attack.h"
int main(void) {
    attempt();
    raise(SIGXCPU);
    pause();
}
