// id: read_through_root
// class: introspection
// rows: 16, 30
// axis: host_filesystem_restricted
// attempt: reads a file through the root of a process of the host
// expected: ENOENT, EACCES, EPERM
// witness: secret
// control: outside
#include "attack.h"
int main(void) {
    char name[PATH_MAX];
    snprintf(name, sizeof name, "root%s/secret", given("OUTSIDE"));
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "/proc/%s/%s", given("PID"), name);
    attempt();
    show_file(path);
}
