// id: file_handle_name
// class: syscalls
// rows: 31
// axis: syscalls_restricted
// attempt: asks for the handle of a file
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_name_to_handle_at, -1, "no-such", 0, 0, 0));
}
