// id: crypto
// class: sockets
// rows: 46
// axis: network
// attempt: makes a socket to the kernel's ciphers
// expected: EPERM, EAFNOSUPPORT, EACCES
// witness: word
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    report(socket(AF_ALG, SOCK_SEQPACKET, 0));
}
