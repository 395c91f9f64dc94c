// id: sibling_by_clone_parent
// class: processes
// rows: 10
// axis: process_contained
// attempt: makes a child of its parent and leaves it behind
// expected: no effect, EINVAL
// witness: processes
// control: reasoned: outside the sibling would be a child of the test
#include "attack.h"
int main(void) {
    attempt();
    long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) { setsid(); sleep(60); _exit(0); }
    if (pid < 0) refused(errno);
    attempted();
}
