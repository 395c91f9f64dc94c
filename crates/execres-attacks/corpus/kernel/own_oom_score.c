// id: own_oom_score
// class: kernel
// rows: 16, 6
// axis: privilege_escalation_blocked
// attempt: takes itself out of the out-of-memory killer's reach
// expected: EACCES, EROFS, EPERM, ENOENT
// witness: word
// control: reasoned: lowering the score needs a capability outside as well
#include "attack.h"
int main(void) {
    attempt();
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) refused(errno);
    report(write(fd, "-1000", 5));
}
