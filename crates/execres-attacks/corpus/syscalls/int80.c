// id: int80
// class: syscalls
// rows: 26
// axis: syscalls_restricted
// attempt: makes an i386 call from a 64-bit program
// expected: SIGSYS
// witness: word
// control: outside
#include "attack.h"
int main(void) {
    #ifndef __x86_64__
        cannot("optional: there is no such call on this machine");
    #else
    attempt();
    pid_t child = fork();
    if (child == 0) {
        long pid;
        __asm__ volatile("int $0x80" : "=a"(pid) : "a"(20) : "memory");
        _exit(pid == getpid() ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) { answer("REFUSED", "SIGSYS"); _exit(0); }
    worked("the kernel took it");
    #endif
}
