// What the attacks written in C share: what they are told, and how they answer.
//
// An attack says ATTEMPT when it is about to try, and then one of WORKED, REFUSED and the kernel's error, ATTEMPTED when only
// the host can tell, or CANNOT when something that it needs is not there.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void answer(const char *word, const char *rest) {
    printf("%s %s\n", word, rest);
    fflush(stdout);
}

static void attempt(void) { answer("ATTEMPT", ""); }

__attribute__((noreturn)) static void cannot(const char *why) {
    answer("CANNOT", why);
    _exit(0);
}

__attribute__((noreturn)) static void worked(const char *what) {
    answer("WORKED", what);
    _exit(0);
}

__attribute__((noreturn)) static void refused(int error) {
    const char *name = strerrorname_np(error);
    answer("REFUSED", name ? name : "unknown");
    _exit(0);
}

__attribute__((noreturn)) static void attempted(void) {
    answer("ATTEMPTED", "");
    _exit(0);
}

// The answer of a system call.
__attribute__((noreturn)) static void report(long result) {
    if (result < 0) refused(errno);
    worked("the kernel did it");
}

// Something that the attack is told, such as the path of a canary.
static const char *given(const char *name) {
    char variable[64];
    snprintf(variable, sizeof variable, "ATTACK_%s", name);
    const char *value = getenv(variable);
    if (!value || !*value) cannot("it was not told what it needs");
    return value;
}

static long number(const char *name) { return strtol(given(name), 0, 0); }

// Shows what was read, so that the host finds its secret in the output.
static void show(const void *bytes, ssize_t size) {
    if (size > 0) {
        fwrite(bytes, 1, size, stdout);
        fputc('\n', stdout);
        fflush(stdout);
    }
}

// Reads a file of the host's and shows it.
static void show_file(const char *path) {
    static char buffer[65536];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) refused(errno);
    ssize_t size = read(fd, buffer, sizeof buffer);
    if (size < 0) refused(errno);
    show(buffer, size);
    worked("it was read");
}

// Opens for writing whichever of these paths can be, and writes nothing. A list ends with 0.
__attribute__((noreturn)) static void open_one_for_writing(const char *const *paths) {
    int last = ENOENT;
    attempt();
    for (int i = 0; paths[i]; i++) {
        if (open(paths[i], O_WRONLY | O_CLOEXEC | O_NONBLOCK) >= 0) worked(paths[i]);
        last = errno;
    }
    refused(last);
}

// A path below the process that the attack is aimed at.
static const char *of_victim(const char *file) {
    static char path[128];
    snprintf(path, sizeof path, "/proc/%s/%s", given("PID"), file);
    return path;
}

// An abstract address from the name that the attack is told.
static socklen_t abstract(struct sockaddr_un *address) {
    const char *name = given("ABSTRACT");
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path + 1, name, strlen(name));
    return offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name);
}
