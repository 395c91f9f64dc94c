// id: file_handle
// class: files
// rows: 31
// axis: syscalls_restricted
// attempt: opens a file by its handle, around every mount
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(void) {
    struct { unsigned bytes; int type; unsigned char handle[8]; } handle = {8, 9999, {0}};
    attempt();
    report(syscall(SYS_open_by_handle_at, -1, &handle, O_RDONLY));
}
