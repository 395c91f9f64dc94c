// id: change_owner
// class: files
// rows: 31
// axis: host_filesystem_restricted
// attempt: changes the group of a file of the host's to itself
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: files, word
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX], other[PATH_MAX];
    snprintf(path, sizeof path, "%s/target", given("OUTSIDE"));
    snprintf(other, sizeof other, "%s/second", given("OUTSIDE"));
    attempt();
    report(chown(path, -1, getegid()));
}
