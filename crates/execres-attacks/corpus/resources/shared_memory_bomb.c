// id: shared_memory_bomb
// class: resources
// rows: 3
// axis: limits
// limit: memory
// attempt: touches memory that is shared, twice what it may have
// expected: out_of_memory, ENOMEM, limit_exceeded, ENOSPC, EFBIG
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    attempt();
    for (int i = 0; i < 128; i++) {
        char *at = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) refused(errno);
        memset(at, 1, 1 << 20);
        usleep(300);
    }
    usleep(200000);
    worked("128 MiB");
}
