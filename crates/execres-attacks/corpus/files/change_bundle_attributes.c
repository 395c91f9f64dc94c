// id: change_bundle_attributes
// class: files
// rows: 34, 31
// axis: host_filesystem_restricted
// attempt: changes mode and times of the bundle, which its identity owns
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: files
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/target", given("BUNDLE"));
    attempt();
    struct timespec times[2] = {{1, 0}, {1, 0}};
    if (chmod(path, 0600) == 0) worked("the mode");
    int error = errno;
    if (utimensat(AT_FDCWD, path, times, 0) == 0) worked("the times");
    refused(error);
}
