// id: change_mode
// class: files
// rows: 31
// axis: host_filesystem_restricted
// attempt: changes the mode of a file of the host's that its identity owns
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: files
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX], other[PATH_MAX];
    snprintf(path, sizeof path, "%s/target", given("OUTSIDE"));
    snprintf(other, sizeof other, "%s/second", given("OUTSIDE"));
    attempt();
    report(chmod(path, 0600));
}
