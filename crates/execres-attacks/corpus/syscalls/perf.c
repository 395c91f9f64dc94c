// id: perf
// class: syscalls
// rows: 24
// axis: syscalls_restricted
// attempt: measures the kernel
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_perf_event_open, 0, 0, -1, -1, 9999));
}
