// id: link_across
// class: files
// rows: 31
// axis: host_filesystem_restricted
// attempt: gives a file that it may only read a name where it may write
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: files
// where: granted
// control: outside
#include "attack.h"
int main(void) {
    char from[PATH_MAX], to[PATH_MAX];
    snprintf(from, sizeof from, "%s/target", given("BUNDLE"));
    snprintf(to, sizeof to, "%s/linked", given("WRITE"));
    attempt();
    report(link(from, to));
}
