// id: packet
// class: sockets
// rows: 46
// axis: network
// attempt: reads every packet
// expected: EPERM, EAFNOSUPPORT, EACCES
// witness: word
// control: outside in namespaces
#include "attack.h"
int main(void) {
    attempt();
    report(socket(AF_PACKET, SOCK_RAW, 0x300));
}
