// id: grandchild_holds_output
// class: processes
// rows: 11
// axis: process_contained
// attempt: a grandchild holds the output open after its leader has ended
// expected: no effect, exited
// witness: processes, outcome
// control: reasoned: how long the host waits is what is tried, and it waits for its own runs only
#include "attack.h"
int main(void) {
    attempt();
    if (fork() == 0) {
        if (fork() == 0) { setsid(); sleep(60); }
        _exit(0);
    }
    attempted();
}
