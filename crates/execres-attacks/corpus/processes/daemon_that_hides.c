// id: daemon_that_hides
// class: processes
// rows: 10, 11, 8
// axis: process_contained
// attempt: a daemon that closes every descriptor, ignores every signal and renames itself
// expected: no effect
// witness: processes
// control: reasoned: outside the supervisor ends daemons as well; without the namespace it is seen to stay
#include "attack.h"
int main(void) {
    attempt();
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            sigset_t all;
            sigfillset(&all);
            sigprocmask(SIG_BLOCK, &all, 0);
            for (int fd = 0; fd < 64; fd++) close(fd);
            prctl(PR_SET_NAME, "kworker/0:1", 0, 0, 0);
            sleep(60);
        }
        _exit(0);
    }
    usleep(20000);
    attempted();
}
