// id: lease
// class: syscalls
// rows: 30
// axis: syscalls_restricted
// attempt: takes a lease, which stops everybody who opens the file
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    int ends[2];
    if (pipe(ends)) cannot("no pipe");
    attempt();
    report(fcntl(ends[0], 1024, 9999));
}
