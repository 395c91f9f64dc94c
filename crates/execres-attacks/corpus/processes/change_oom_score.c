// id: change_oom_score
// class: processes
// rows: 16
// axis: process_contained
// attempt: offers a process of the host to the out-of-memory killer
// expected: ENOENT, EACCES, EROFS, EPERM
// witness: victim
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    int fd = open(of_victim("oom_score_adj"), O_WRONLY | O_CLOEXEC);
    if (fd < 0) refused(errno);
    report(write(fd, "777", 3));
}
