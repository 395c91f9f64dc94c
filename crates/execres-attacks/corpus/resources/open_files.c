// id: open_files
// class: resources
// rows: 5
// axis: limits
// limit: open_files
// attempt: opens files as often as it can
// expected: EMFILE
// witness: outcome, processes
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    attempt();
    for (int i = 0; i < 4096; i++) if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0) refused(errno);
    worked("four thousand files");
}
