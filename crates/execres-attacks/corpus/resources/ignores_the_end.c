// id: ignores_the_end
// class: resources
// rows: 8
// axis: limits
// attempt: ignores and blocks every signal and sleeps past its time
// expected: timed_out
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    for (int signal_number = 1; signal_number < 65; signal_number++) signal(signal_number, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, 0);
    attempt();
    for (;;) sleep(60);
}
