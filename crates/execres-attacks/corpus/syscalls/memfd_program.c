// id: memfd_program
// class: syscalls
// rows: 38
// axis: syscalls_restricted
// attempt: runs a copy of itself from memory, which makes a refused call
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(int argc, char **argv) {
    if (argc > 1) { attempt(); report(syscall(SYS_keyctl, 9999)); }
    int to = syscall(SYS_memfd_create, "copy", MFD_CLOEXEC), from = open(argv[0], O_RDONLY | O_CLOEXEC);
    char buffer[4096];
    for (ssize_t size; (size = read(from, buffer, sizeof buffer)) > 0;) write(to, buffer, size);
    char *const arguments[] = {"copy", "again", 0};
    extern char **environ;
    syscall(SYS_execveat, to, "", arguments, environ, AT_EMPTY_PATH);
    cannot("a program cannot be run from memory");
}
