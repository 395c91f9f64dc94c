// What a run may not do, and what a program sees that tries: an error that it can name, never a signal.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int wrong;

static void see(const char *what, long result, int expected) {
    int got = result < 0 ? errno : 0;
    printf("%-40s %s\n", what, got ? strerror(got) : "done");
    wrong += got != expected;
}

int main(void) {
    unsigned long context = 0;
    char parameters[120] = {0};
    see("io_setup (asynchronous I/O)", syscall(SYS_io_setup, 8, &context), ENOSYS);
    see("io_uring_setup", syscall(SYS_io_uring_setup, 8, parameters), ENOSYS);
    see("ptrace (debuggers, strace)", ptrace(PTRACE_TRACEME, 0, 0, 0), EPERM);
    see("personality (memory that is all code)", personality(READ_IMPLIES_EXEC), EPERM);
    see("an internet socket", socket(AF_INET, SOCK_STREAM, 0), EPERM);
    see("a rename below /usr", rename("/usr/bin/env", "/usr/bin/x"), EROFS);
    puts(wrong ? "something was different" : "refused with words");
    return wrong;
}
