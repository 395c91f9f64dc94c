// id: semaphore
// class: ipc
// rows: 43
// axis: process_contained
// attempt: raises a SysV semaphore of the host's
// expected: ENOENT, EPERM, EACCES
// witness: victim
// control: outside
#include "attack.h"
#include <sys/sem.h>
int main(void) {
    struct sembuf up = {0, 1, 0};
    attempt();
    int id = semget(number("KEY"), 0, 0);
    if (id < 0) refused(errno);
    report(semop(id, &up, 1));
}
