// id: read_through_directory
// class: introspection
// rows: 16, 30
// axis: host_filesystem_restricted
// attempt: reads a file relative to the working directory of a process of the host
// expected: ENOENT, EACCES, EPERM
// witness: secret
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "/proc/%s/cwd/%s/secret", given("PID"), given("OUTSIDE") + 1);
    attempt();
    show_file(path);
}
