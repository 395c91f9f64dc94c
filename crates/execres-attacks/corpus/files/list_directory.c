// id: list_directory
// class: files
// rows: 30
// axis: host_filesystem_restricted
// attempt: lists a directory of the host's
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: secret
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/names", given("OUTSIDE"));
    attempt();
    DIR *all = opendir(path);
    if (!all) refused(errno);
    for (struct dirent *one; (one = readdir(all));) puts(one->d_name);
    worked("it was listed");
}
