// id: watch_directory
// class: files
// rows: 30
// axis: host_filesystem_restricted
// attempt: watches a directory of the host's with inotify
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: word
// control: outside
#include "attack.h"
#include <sys/inotify.h>
int main(void) {
    int watch = inotify_init1(IN_CLOEXEC);
    if (watch < 0 && errno == EMFILE) cannot("optional: every watch of this user is taken");
    attempt();
    if (watch < 0) refused(errno);
    report(inotify_add_watch(watch, given("OUTSIDE"), IN_ALL_EVENTS));
}
