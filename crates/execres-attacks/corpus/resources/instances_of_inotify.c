// id: instances_of_inotify
// class: resources
// rows: 5
// axis: limits
// attempt: takes all instances of inotify that its user has on the machine
// expected: EMFILE, EPERM
// witness: outcome
// control: reasoned: other programs of the same user would be left without
#include "attack.h"
#include <sys/inotify.h>
int main(void) {
    attempt();
    for (int i = 0; i < 64; i++)
        if (inotify_init1(IN_CLOEXEC) < 0) refused(errno);
    worked("sixty-four instances");
}
