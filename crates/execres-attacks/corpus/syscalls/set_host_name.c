// id: set_host_name
// class: syscalls
// rows: 20, 24
// axis: syscalls_restricted
// attempt: renames the machine
// expected: EPERM
// witness: word
// control: outside in namespaces
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_sethostname, "execres-attack", 14));
}
