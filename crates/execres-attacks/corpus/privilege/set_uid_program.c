// id: set_uid_program
// class: privilege
// rows: 21
// axis: privilege_escalation_blocked
// attempt: runs a program with root's set-uid bit
// expected: EACCES, ENOENT, EPERM
// witness: files, word
// canary: setuid
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/privileged", given("BUNDLE"));
    struct stat seen;
    if (stat(path, &seen) || !(seen.st_mode & S_ISUID)) cannot("optional: only root can make a set-uid program of root's");
    attempt();
    execl(path, path, (char *)0);
    refused(errno);
}
