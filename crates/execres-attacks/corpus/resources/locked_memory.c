// id: locked_memory
// class: resources
// rows: 3
// axis: limits
// attempt: locks more memory than it may
// expected: ENOMEM, EPERM, EAGAIN
// witness: outcome, processes
// control: reasoned: the limit outside is the machine's, and says nothing of the sandbox
#include "attack.h"
int main(void) {
    char *at = mmap(0, 8 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    attempt();
    report(mlock(at, 8 << 20));
}
