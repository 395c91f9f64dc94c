// id: link_out_of_write
// class: files
// rows: 31, 32
// axis: host_filesystem_restricted
// attempt: reads a file of the host's over a link that it plants where it may write
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: secret
// where: granted
// control: outside
#include "attack.h"
int main(void) {
    char from[PATH_MAX], to[PATH_MAX];
    snprintf(to, sizeof to, "%s/secret", given("OUTSIDE"));
    snprintf(from, sizeof from, "%s/way-out", given("WRITE"));
    attempt();
    if (symlink(to, from)) refused(errno);
    show_file(from);
}
