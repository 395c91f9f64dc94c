// id: stopped_tree
// class: processes
// rows: 8
// axis: process_contained
// attempt: leaves stopped processes behind
// expected: no effect
// witness: processes
// control: reasoned: outside the supervisor ends daemons as well; without the namespace it is seen to stay
#include "attack.h"
int main(void) {
    attempt();
    for (int i = 0; i < 5; i++) if (fork() == 0) { setsid(); raise(SIGSTOP); sleep(60); _exit(0); }
    usleep(20000);
    attempted();
}
