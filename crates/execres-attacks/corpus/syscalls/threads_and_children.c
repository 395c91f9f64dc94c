// id: threads_and_children
// class: syscalls
// rows: 52, 27
// axis: syscalls_restricted
// attempt: makes a refused call from a thread, a child and a child of vfork
// expected: EPERM
// witness: errno
// control: differential
#include "attack.h"
#include <pthread.h>
static void *call(void *error) {
    syscall(SYS_keyctl, 9999);
    *(int *)error = errno;
    return 0;
}
int main(void) {
    int from_thread = 0, status = 0;
    pthread_t thread;
    attempt();
    if (pthread_create(&thread, 0, call, &from_thread)) cannot("no thread");
    pthread_join(thread, 0);
    pid_t child = fork();
    if (child == 0) { syscall(SYS_keyctl, 9999); _exit(errno); }
    waitpid(child, &status, 0);
    if (from_thread != WEXITSTATUS(status)) worked("the answers differ");
    refused(from_thread);
}
