// id: private_mapping
// class: files
// rows: 31
// axis: host_filesystem_restricted
// attempt: writes through /proc/self/mem to a private mapping of a file that it may only read
// expected: no effect
// witness: files
// control: reasoned: outside the kernel makes a private copy as well; the file would change by a fault of the kernel
//    only
#include "attack.h"
int main(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/target", given("BUNDLE"));
    int fd = open(path, O_RDONLY | O_CLOEXEC), memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    if (fd < 0) cannot("the bundle cannot be read");
    char *map = mmap(0, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    attempt();
    for (int i = 0; i < 200; i++) {
        pwrite(memory, "changed", 7, (uintptr_t)map);
        madvise(map, 4096, MADV_DONTNEED);
    }
    attempted();
}
