// id: capability_sets
// class: privilege
// rows: 24
// axis: privilege_escalation_blocked
// attempt: looks for a capability in any of its sets
// expected: no effect
// witness: word
// control: outside
#include "attack.h"
/* What no_new_privs makes unreachable cannot be given back, and an ordinary user's process cannot empty it. */
int main(void) {
    attempt();
    FILE *status = fopen("/proc/self/status", "r");
    int held = 0;
    char line[256];
    while (status && fgets(line, sizeof line, status)) {
        unsigned long long set;
        if (sscanf(line, "Cap%*[A-Za-z]: %llx", &set) == 1 && strncmp(line, "CapBnd", 6) != 0 && set != 0) held = 1;
    }
    for (int capability = 0; capability < 41; capability++)
        if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, capability, 0, 0) == 1) held = 1;
    if (held) worked("a capability in a set that counts");
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) attempted();
    for (int capability = 0; capability < 41; capability++)
        if (prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1) worked("a capability that a program could give back");
    attempted();
}
