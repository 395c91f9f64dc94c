// id: deep_directories
// class: resources
// rows: 4, 37
// axis: limits
// limit: scratch
// attempt: makes directories so deep that their path has no name
// expected: ENOSPC, ENAMETOOLONG
// witness: outcome, processes
// where: own-root
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
int main(void) {
    if (chdir(getenv("TMPDIR"))) refused(errno);
    attempt();
    for (int i = 0; i < 5000; i++) if (mkdir("a-directory-with-a-rather-long-name", 0700) || chdir("a-directory-with-a-rather-long-name")) refused(errno);
    worked("five thousand levels");
}
