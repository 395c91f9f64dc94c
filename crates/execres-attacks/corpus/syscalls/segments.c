// id: segments
// class: syscalls
// rows: 24
// axis: syscalls_restricted
// attempt: changes its segment descriptors
// expected: EPERM
// witness: word
// control: reasoned: the kernel answers ENOSYS outside for what is no request, and a request that is one changes the
//    program
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_modify_ldt, 9999, 0, 0));
}
