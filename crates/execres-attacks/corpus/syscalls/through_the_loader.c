// id: through_the_loader
// class: syscalls
// rows: 38
// axis: syscalls_restricted
// attempt: has the loader run a copy of itself, which makes a refused call
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
int main(int argc, char **argv) {
    if (argc > 1) { attempt(); report(syscall(SYS_keyctl, 9999)); }
    const char *loaders[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"};
    for (int i = 0; i < 2; i++) execl(loaders[i], loaders[i], argv[0], "again", (char *)0);
    cannot("optional: there is no loader where it is looked for");
}
