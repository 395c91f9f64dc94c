// id: memory_of_children
// class: resources
// rows: 3
// axis: limits
// limit: memory
// attempt: has every child touch as much as one may
// expected: exited, out_of_memory, no effect
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    attempt();
    for (int i = 0; i < 8; i++) {
        if (fork()) continue;
        char *at = mmap(0, 24 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at != MAP_FAILED) memset(at, 1, 24 << 20);
        pause();
    }
    usleep(250000);
    attempted();
}
