// id: fork_bomb_of_sessions
// class: resources
// rows: 1, 10
// axis: limits
// limit: processes
// attempt: forks as often as it can, each in a session of its own, and the leader ends first
// expected: no effect, EAGAIN
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    attempt();
    for (int made = 0; made < 200; made++) {
        pid_t child = fork();
        if (child < 0) { if (made < 100) attempted(); worked("a hundred processes"); }
        if (child == 0) { setsid(); pause(); _exit(0); }
    }
    worked("two hundred processes");
}
