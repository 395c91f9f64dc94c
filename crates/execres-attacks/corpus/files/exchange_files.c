// id: exchange_files
// class: files
// rows: 31
// axis: host_filesystem_restricted
// attempt: exchanges two files of the host's
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: files
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX], other[PATH_MAX];
    snprintf(path, sizeof path, "%s/target", given("OUTSIDE"));
    snprintf(other, sizeof other, "%s/second", given("OUTSIDE"));
    attempt();
    report(renameat2(AT_FDCWD, path, AT_FDCWD, other, RENAME_EXCHANGE));
}
