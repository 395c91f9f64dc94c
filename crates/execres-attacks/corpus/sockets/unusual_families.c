// id: unusual_families
// class: sockets
// rows: 46
// axis: network
// attempt: makes sockets of families that nobody uses
// expected: EPERM, EAFNOSUPPORT, EACCES
// witness: word
// control: reasoned: most kernels have no such families, and one that has would load a module
#include "attack.h"
int main(void) {
    attempt();
    report((socket(AF_X25, SOCK_SEQPACKET, 0) & socket(21, SOCK_SEQPACKET, 0) & socket(29, SOCK_RAW, 1) & socket(30, SOCK_SEQPACKET, 0) & socket(44, SOCK_RAW, 0)));
}
