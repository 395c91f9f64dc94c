// id: create_link
// class: files
// rows: 31
// axis: host_filesystem_restricted
// attempt: makes a symbolic link among the host's files
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
    report(symlink("/", path));
}
