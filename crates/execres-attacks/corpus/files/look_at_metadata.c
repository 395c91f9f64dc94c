// id: look_at_metadata
// class: files
// rows: 30
// axis: host_filesystem_restricted
// attempt: learns size, owner and times of a file of the host's
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: word
// where: own-root
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX];
    struct stat seen;
    snprintf(path, sizeof path, "%s/secret", given("OUTSIDE"));
    attempt();
    report(stat(path, &seen));
}
