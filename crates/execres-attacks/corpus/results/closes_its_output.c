// id: closes_its_output
// class: results
// rows: 62, 11
// axis: results
// attempt: closes its outputs and goes on, which must not look like its end
// expected: timed_out
// witness: outcome
// control: reasoned: what is attacked is the host's own account of a run, which the outside does not have
#include "attack.h"
int main(void) {
    attempt();
    close(0);
    close(1);
    close(2);
    for (;;) pause();
}
