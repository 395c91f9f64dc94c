// id: read_secret
// class: files
// rows: 30
// axis: host_filesystem_restricted
// attempt: reads a file of the host's that its own identity may read
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: secret
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/secret", given("OUTSIDE"));
    attempt();
    show_file(path);
}
