// id: thread_bomb
// class: resources
// rows: 2
// axis: limits
// limit: processes
// attempt: starts threads as often as it can
// expected: EAGAIN
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
#include <pthread.h>
static void *wait_for_ever(void *none) { for (;;) pause(); }
int main(void) {
    attempt();
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (int made = 0; made < 200; made++) {
        pthread_t thread;
        int error = pthread_create(&thread, &small, wait_for_ever, 0);
        if (error) refused(error);
    }
    worked("two hundred threads");
}
