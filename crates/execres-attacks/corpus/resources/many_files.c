// id: many_files
// class: resources
// rows: 4
// axis: limits
// limit: scratch
// attempt: makes as many empty files as it can
// expected: ENOSPC
// witness: outcome, processes
// where: own-root
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    char path[PATH_MAX];
    attempt();
    for (int i = 0; i < 20000; i++) {
        snprintf(path, sizeof path, "%s/%d", getenv("TMPDIR"), i);
        if (mkdir(path, 0700)) refused(errno);
    }
    worked("twenty thousand directories");
}
