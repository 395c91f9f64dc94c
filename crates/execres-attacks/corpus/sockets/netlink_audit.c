// id: netlink_audit
// class: sockets
// rows: 46
// axis: network
// attempt: writes to the audit log
// expected: EPERM, EAFNOSUPPORT, EACCES
// witness: word
// where: no-network
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    report(socket(AF_NETLINK, SOCK_RAW, 9));
}
