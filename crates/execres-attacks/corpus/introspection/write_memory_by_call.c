// id: write_memory_by_call
// class: introspection
// rows: 18
// axis: process_contained
// attempt: writes the memory of a process of the host with process_vm_writev
// expected: EPERM, ESRCH
// witness: victim
// control: outside
#include "attack.h"
#include <sys/uio.h>
int main(void) {
    struct iovec here = {"overwritten", 11}, there = {(void *)strtoul(given("MEMORY"), 0, 0), 11};
    attempt();
    report(process_vm_writev(number("PID"), &here, 1, &there, 1, 0));
}
