// id: file_capabilities
// class: privilege
// rows: 21
// axis: privilege_escalation_blocked
// attempt: runs a program with file capabilities
// expected: EACCES, ENOENT, EPERM
// witness: files, word
// canary: filecaps
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX], value[64];
    snprintf(path, sizeof path, "%s/privileged", given("BUNDLE"));
    if (syscall(SYS_getxattr, path, "security.capability", value, sizeof value) < 0 && errno == ENODATA)
        cannot("optional: only root can give a program capabilities");
    attempt();
    execl(path, path, (char *)0);
    refused(errno);
}
