// id: netlink
// class: sockets
// rows: 46
// axis: network
// attempt: asks the kernel for interfaces and routes
// expected: EPERM, EAFNOSUPPORT, EACCES
// witness: word
// where: no-network
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    report(socket(AF_NETLINK, SOCK_RAW, 0));
}
