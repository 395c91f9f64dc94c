// id: broken_output
// class: resources
// rows: 7
// axis: limits
// limit: output
// attempt: writes broken text, zeros and terminal sequences without an end of line
// expected: limit_exceeded
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    static char block[65536];
    for (int i = 0; i < sizeof block; i++) block[i] = "\0\xff\xfe\x1b]0;title\a\x1b[2J\xc3"[i % 17];
    attempt();
    for (;;) write(1, block, sizeof block);
}
