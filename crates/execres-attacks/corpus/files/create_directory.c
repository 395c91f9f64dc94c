// id: create_directory
// class: files
// rows: 31
// axis: host_filesystem_restricted
// attempt: makes a directory among the host's
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
    report(mkdir(path, 0700));
}
