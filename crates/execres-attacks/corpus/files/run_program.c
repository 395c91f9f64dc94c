// id: run_program
// class: files
// rows: 30, 38
// axis: host_filesystem_restricted
// attempt: runs a program of the host's
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: secret
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/program", given("OUTSIDE"));
    char *const arguments[] = {path, 0};
    attempt();
    execv(path, arguments);
    refused(errno);
}
