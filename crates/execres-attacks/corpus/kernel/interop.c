// id: interop
// class: kernel
// rows: 49
// axis: host_filesystem_restricted
// attempt: registers an interpreter for foreign programs
// expected: ENOENT, EACCES, EROFS, EPERM, EIO, ENXIO
// witness: word
// control: reasoned: they are the system's own, which an ordinary identity is refused outside, and root must not be
//    let
#include "attack.h"
int main(void) {
    const char *paths[] = {"/proc/sys/fs/binfmt_misc/register", "/proc/sys/fs/binfmt_misc/WSLInterop", "/init", 0};
    open_one_for_writing(paths);
}
