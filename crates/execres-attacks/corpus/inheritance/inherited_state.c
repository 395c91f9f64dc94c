// id: inherited_state
// class: inheritance
// rows: 40, 19
// axis: process_contained
// attempt: looks for a mask, ignored signals, a working directory, a terminal or limits of the host's
// expected: no effect
// witness: word
// control: reasoned: the outside has a state of its own, which says nothing of the sandbox
#include "attack.h"
int main(void) {
    attempt();
    sigset_t mask;
    sigprocmask(0, 0, &mask);
    for (int signal = 1; signal < 65; signal++) {
        struct sigaction action;
        if (sigismember(&mask, signal) == 1) worked("a blocked signal");
        if (sigaction(signal, 0, &action) == 0 && action.sa_handler == SIG_IGN) worked("an ignored signal");
    }
    char place[PATH_MAX];
    if (!getcwd(place, sizeof place) || strcmp(place, "/")) worked("a working directory");
    struct rlimit core;
    getrlimit(RLIMIT_CORE, &core);
    /* One byte makes no file, and is what keeps a handler behind a pipe from being started, which zero does not. */
    if (core.rlim_max > 1) worked("core files");
    if (umask(0) != 022) worked("a umask");
    if (isatty(0) || isatty(1) || isatty(2) || open("/dev/tty", O_RDWR) >= 0) worked("a terminal");
    attempted();
}
