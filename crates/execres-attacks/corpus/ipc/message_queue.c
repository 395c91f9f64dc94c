// id: message_queue
// class: ipc
// rows: 43
// axis: process_contained
// attempt: sends a message to a SysV queue of the host's
// expected: ENOENT, EPERM, EACCES
// witness: victim
// control: outside
#include "attack.h"
#include <sys/msg.h>
int main(void) {
    struct { long type; char text[8]; } message = {1, "x"};
    attempt();
    int id = msgget(number("KEY"), 0);
    if (id < 0) refused(errno);
    report(msgsnd(id, &message, 1, 0));
}
