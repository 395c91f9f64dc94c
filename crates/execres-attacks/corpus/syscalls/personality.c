// id: personality
// class: syscalls
// rows: 24
// axis: syscalls_restricted
// attempt: makes everything that it can read executable
// expected: EPERM
// witness: word
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_personality, 0x0400000));
}
