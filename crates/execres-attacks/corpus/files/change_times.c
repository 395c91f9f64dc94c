// id: change_times
// class: files
// rows: 31
// axis: host_filesystem_restricted
// attempt: changes the times of a file of the host's that its identity owns
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: files
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX], other[PATH_MAX];
    snprintf(path, sizeof path, "%s/target", given("OUTSIDE"));
    snprintf(other, sizeof other, "%s/second", given("OUTSIDE"));
    attempt();
    struct timespec times[2] = {{1, 0}, {1, 0}};
    report(utimensat(AT_FDCWD, path, times, 0));
}
