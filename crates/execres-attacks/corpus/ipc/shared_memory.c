// id: shared_memory
// class: ipc
// rows: 43
// axis: process_contained
// attempt: writes into a SysV segment of the host's
// expected: ENOENT, EPERM, EACCES
// witness: victim
// control: outside
#include "attack.h"
#include <sys/shm.h>
int main(void) {
    attempt();
    int id = shmget(number("KEY"), 0, 0);
    if (id < 0) refused(errno);
    char *at = shmat(id, 0, 0);
    if (at == (char *)-1) refused(errno);
    *at = 7;
    worked("it was written");
}
