// id: signal_every_number
// class: processes
// rows: 13, 14
// axis: process_contained
// attempt: signals every process number around the one it is told
// expected: ESRCH, EPERM, no effect
// witness: victim
// where: own-init
// control: reasoned: outside it would reach other processes of the same user
#include "attack.h"
int main(void) {
    attempt();
    long around = number("PID");
    for (long pid = 2; pid < 600; pid++) if (pid != getpid()) kill(pid, SIGUSR1);
    for (long pid = around - 300; pid < around + 300; pid++) if (pid > 1 && pid != getpid()) kill(pid, SIGUSR1);
    attempted();
}
