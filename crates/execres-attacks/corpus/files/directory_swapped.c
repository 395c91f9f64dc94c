// id: directory_swapped
// class: files
// rows: 31, 32, 51
// axis: host_filesystem_restricted
// attempt: swaps a directory for a link to the host's while another thread opens files below it
// expected: no effect
// witness: secret
// where: granted
// repeat: race
// control: outside
#include "attack.h"
#include <pthread.h>
static char directory[PATH_MAX], spare[PATH_MAX], link_to[PATH_MAX];
static volatile int stop;
static void *swap(void *none) {
    while (!stop) renameat2(AT_FDCWD, directory, AT_FDCWD, link_to, RENAME_EXCHANGE);
    return none;
}
int main(void) {
    snprintf(directory, sizeof directory, "%s/source", given("WRITE"));
    snprintf(link_to, sizeof link_to, "%s/swapped", given("WRITE"));
    if (symlink(given("OUTSIDE"), link_to)) cannot("no link");
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s/secret", directory);
    pthread_t thread;
    if (pthread_create(&thread, 0, swap, 0)) cannot("no thread");
    attempt();
    for (int i = 0; i < 4000; i++) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) continue;
        char buffer[64];
        ssize_t size = read(fd, buffer, sizeof buffer);
        if (size > 20) { show(buffer, size); worked("the other file was opened"); }
        close(fd);
    }
    stop = 1;
    attempted();
}
