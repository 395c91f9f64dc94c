// id: adjust_clock
// class: syscalls
// rows: 60
// axis: syscalls_restricted
// attempt: asks how the clock of the machine is steered
// expected: EPERM
// witness: word
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    report(syscall(SYS_adjtimex, calloc(1, 4096)));
}
