// id: directory_notification
// class: syscalls
// rows: 30
// axis: syscalls_restricted
// attempt: asks to be told by signals of what happens in a directory
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    int ends[2];
    if (pipe(ends)) cannot("no pipe");
    attempt();
    report(fcntl(ends[0], 1026, 1));
}
