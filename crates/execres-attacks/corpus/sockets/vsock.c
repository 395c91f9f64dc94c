// id: vsock
// class: sockets
// rows: 46
// axis: network
// attempt: makes a socket to the monitor of the virtual machine
// expected: EPERM, EAFNOSUPPORT, EACCES
// witness: word
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    report(socket(AF_VSOCK, SOCK_STREAM, 0));
}
