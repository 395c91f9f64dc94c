// id: rewrite_id_map
// class: privilege
// rows: 22, 24
// axis: privilege_escalation_blocked
// attempt: maps root into its namespace
// expected: EPERM, EACCES, EROFS, ENOENT
// witness: word
// control: reasoned: outside its map is that of everybody and cannot be written a second time
#include "attack.h"
int main(void) {
    attempt();
    int fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
    if (fd < 0) refused(errno);
    report(write(fd, "0 0 1", 5));
}
