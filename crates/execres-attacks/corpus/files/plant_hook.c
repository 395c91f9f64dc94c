// id: plant_hook
// class: files
// rows: 35, 34
// axis: host_filesystem_restricted
// attempt: plants a hook in a repository that the host shows it
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: files
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/.git/hooks/post-checkout", given("BUNDLE"));
    attempt();
    report(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0755));
}
