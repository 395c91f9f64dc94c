// id: see_robust_list
// class: processes
// rows: 18
// axis: process_contained
// attempt: asks for the futex list of a process of the host
// expected: ESRCH, EPERM, ENOSYS
// witness: word, victim
// control: outside
#include "attack.h"
int main(void) {
    void *head;
    size_t size;
    attempt();
    report(syscall(SYS_get_robust_list, number("PID"), &head, &size));
}
