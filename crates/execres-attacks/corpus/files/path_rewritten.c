// id: path_rewritten
// class: files
// rows: 52, 51
// axis: host_filesystem_restricted
// attempt: rewrites a path while the kernel looks at it, from one that it may open to one of the host's
// expected: no effect
// witness: secret
// repeat: race
// control: outside
#include "attack.h"
#include <pthread.h>
static char path[PATH_MAX];
static char inside[PATH_MAX], out[PATH_MAX];
static volatile int stop;
static void *flip(void *none) {
    while (!stop) {
        memcpy(path, out, PATH_MAX);
        sched_yield();
        memcpy(path, inside, PATH_MAX);
        sched_yield();
    }
    return none;
}
int main(void) {
    snprintf(inside, sizeof inside, "%s/target", given("BUNDLE"));
    snprintf(out, sizeof out, "%s/secret", given("OUTSIDE"));
    memcpy(path, inside, sizeof path);
    pthread_t thread;
    if (pthread_create(&thread, 0, flip, 0)) cannot("no thread");
    attempt();
    for (int i = 0; i < 4000; i++) {
        if (i % 64 == 0) sched_yield();
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) continue;
        char buffer[64];
        ssize_t size = read(fd, buffer, sizeof buffer);
        if (size > 20) { show(buffer, size); worked("the other path was opened"); }
        close(fd);
    }
    stop = 1;
    attempted();
}
