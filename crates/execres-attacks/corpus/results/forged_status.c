// id: forged_status
// class: results
// rows: 14
// axis: results
// attempt: ends one thread with success while another kills the process
// expected: signaled
// witness: outcome
// control: reasoned: what is attacked is the host's own account of a run, which the outside does not have
#include "attack.h"
#include <pthread.h>
static void *end(void *none) {
    usleep(20000);
    kill(getpid(), SIGTERM);
    pause();
    return none;
}
int main(void) {
    pthread_t thread;
    attempt();
    if (pthread_create(&thread, 0, end, 0)) cannot("no thread");
    syscall(SYS_exit, 0);
}
