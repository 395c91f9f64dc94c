// id: raw
// class: sockets
// rows: 46
// axis: network
// attempt: makes packets of its own
// expected: EPERM, EAFNOSUPPORT, EACCES
// witness: word
// control: outside in namespaces
#include "attack.h"
int main(void) {
    attempt();
    report(socket(AF_INET, SOCK_RAW, 1));
}
