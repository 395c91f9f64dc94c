// id: posix_queue
// class: ipc
// rows: 43
// axis: process_contained
// attempt: sends a message to a POSIX queue of the host's
// expected: ENOENT, EPERM, EACCES
// witness: victim
// control: outside
#include "attack.h"
#include <mqueue.h>
int main(void) {
    attempt();
    mqd_t queue = mq_open(given("QUEUE"), O_WRONLY);
    if (queue < 0) refused(errno);
    report(mq_send(queue, "x", 1, 0));
}
