// id: unload_module
// class: syscalls
// rows: 24
// axis: syscalls_restricted
// attempt: takes a module out of the kernel
// expected: EPERM
// witness: word
// control: reasoned: the kernel asks for a capability of the first namespace before it looks at anything, outside as
//    well
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_delete_module, 0, 0));
}
