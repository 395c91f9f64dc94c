// id: secure_bits
// class: privilege
// rows: 24
// axis: privilege_escalation_blocked
// attempt: changes how the kernel treats root
// expected: EPERM
// witness: word
// control: outside in namespaces
#include "attack.h"
int main(void) {
    attempt();
    report(prctl(PR_SET_SECUREBITS, 1 << 2, 0, 0, 0));
}
