// id: deep_stack
// class: resources
// rows: 3
// axis: limits
// attempt: recurses until its stack is over
// expected: signaled
// witness: outcome, processes
// control: reasoned: outside it would end in the same way, and may leave a core file
#include "attack.h"
#pragma GCC optimize("O0")
static int deeper(int level) { volatile char room[4096]; room[0] = level; return deeper(level + 1) + room[0]; }
int main(void) { attempt(); return deeper(0); }
