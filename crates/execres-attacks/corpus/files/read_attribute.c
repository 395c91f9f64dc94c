// id: read_attribute
// class: files
// rows: 30
// axis: host_filesystem_restricted
// attempt: reads an extended attribute of a file of the host's, which takes no opening
// expected: ENOENT, EACCES, EPERM, EOPNOTSUPP
// witness: secret
// control: outside
#include "attack.h"
#include <sys/xattr.h>
int main(void) {
    char path[PATH_MAX], value[4096];
    snprintf(path, sizeof path, "%s/secret", given("OUTSIDE"));
    attempt();
    ssize_t size = getxattr(path, "user.execres", value, sizeof value);
    if (size < 0) refused(errno);
    show(value, size);
    worked("it was read");
}
