// id: create_pipe
// class: files
// rows: 31, 33
// axis: host_filesystem_restricted
// attempt: makes a named pipe among the host's files
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: files
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX], other[PATH_MAX];
    snprintf(path, sizeof path, "%s/target", given("OUTSIDE"));
    snprintf(other, sizeof other, "%s/second", given("OUTSIDE"));
    attempt();
    strcat(path, "-new");
    report(mkfifo(path, 0600));
}
