// id: output_flood
// class: resources
// rows: 7
// axis: limits
// limit: output
// attempt: writes without end
// expected: limit_exceeded
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    static char block[65536];
    memset(block, 'x', sizeof block);
    attempt();
    for (;;) { write(1, block, sizeof block); write(2, block, sizeof block); }
}
