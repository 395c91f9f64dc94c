// id: raise_limits
// class: privilege
// rows: 6, 40
// axis: privilege_escalation_blocked
// attempt: raises its hard limits
// expected: EPERM
// witness: word
// control: reasoned: raising a hard limit needs a capability outside as well
#include "attack.h"
int main(void) {
    int which[] = {RLIMIT_NPROC, RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_CORE, RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE};
    attempt();
    for (int i = 0; i < 7; i++) {
        struct rlimit now;
        getrlimit(which[i], &now);
        if (now.rlim_max == RLIM_INFINITY) continue;
        now.rlim_max++;
        if (setrlimit(which[i], &now) == 0) worked("a limit was raised");
    }
    refused(EPERM);
}
