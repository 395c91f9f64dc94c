// id: shared_mapping
// class: files
// rows: 31
// axis: host_filesystem_restricted
// attempt: maps a file that it may only read for shared writing
// expected: EACCES, EROFS, EPERM
// witness: files
// control: outside
#include "attack.h"
int main(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/target", given("BUNDLE"));
    attempt();
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) { fd = open(path, O_RDONLY | O_CLOEXEC); if (fd < 0) refused(errno); }
    char *map = mmap(0, 9, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) refused(errno);
    map[0] = 'X';
    worked("it was mapped");
}
