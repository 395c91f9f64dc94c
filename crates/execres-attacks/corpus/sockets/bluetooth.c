// id: bluetooth
// class: sockets
// rows: 46
// axis: network
// attempt: makes a socket to a radio
// expected: EPERM, EAFNOSUPPORT, EACCES
// witness: word
// control: reasoned: most kernels have no such family, and one that has must not be asked
#include "attack.h"
int main(void) {
    attempt();
    report(socket(31, SOCK_RAW, 1));
}
