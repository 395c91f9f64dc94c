// id: read_memory_by_call
// class: introspection
// rows: 18
// axis: process_contained
// attempt: reads the memory of a process of the host with process_vm_readv
// expected: EPERM, ESRCH
// witness: secret
// control: outside
#include "attack.h"
#include <sys/uio.h>
int main(void) {
    char buffer[64];
    struct iovec here = {buffer, sizeof buffer}, there = {(void *)strtoul(given("MEMORY"), 0, 0), sizeof buffer};
    attempt();
    ssize_t size = process_vm_readv(number("PID"), &here, 1, &there, 1, 0);
    if (size < 0) refused(errno);
    show(buffer, size);
    worked("it was read");
}
