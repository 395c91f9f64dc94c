// id: core_dump
// class: resources
// rows: 19
// axis: limits
// attempt: crashes with memory that would be a large core file
// expected: signaled
// witness: outcome, processes
// control: reasoned: outside it would wake the crash handler of the machine
#include "attack.h"
int main(void) {
    char *at = mmap(0, 16 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(at, 1, 16 << 20);
    attempt();
    struct rlimit core = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_CORE, &core);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    raise(SIGSEGV);
    abort();
}
