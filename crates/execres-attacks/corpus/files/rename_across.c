// id: rename_across
// class: files
// rows: 31, 51
// axis: host_filesystem_restricted
// attempt: moves a file out of what it may only read
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: files
// where: granted
// control: outside
#include "attack.h"
int main(void) {
    char from[PATH_MAX], to[PATH_MAX];
    snprintf(from, sizeof from, "%s/target", given("BUNDLE"));
    snprintf(to, sizeof to, "%s/moved", given("WRITE"));
    attempt();
    report(rename(from, to));
}
