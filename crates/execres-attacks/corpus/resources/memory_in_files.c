// id: memory_in_files
// class: resources
// rows: 3, 4
// axis: limits
// limit: memory
// attempt: fills every place that it may write to
// expected: out_of_memory, ENOMEM, limit_exceeded, ENOSPC, EFBIG
// witness: outcome, processes
// where: own-root
// control: reasoned: it would take the machine, or other processes of the same user, with it
#include "attack.h"
#define MIB (1 << 20)
int main(void) {
    static char block[MIB];
    const char *places[] = {getenv("TMPDIR"), "/dev/shm", getenv("HOME"), "/tmp"};
    memset(block, 1, MIB);
    attempt();
    long written = 0;
    int last = 0;
    for (int place = 0; place < 4; place++) for (int file = 0; file < 16; file++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/fill-%d", places[place], file);
        int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        if (fd < 0) { last = errno; break; }
        for (int i = 0; i < 7; i++) {
            ssize_t size = write(fd, block, MIB);
            if (size < MIB) { last = size < 0 ? errno : ENOSPC; break; }
            written += size;
        }
        close(fd);
        if (written > 96L * MIB) worked("96 MiB of files");
    }
    refused(last);
}
