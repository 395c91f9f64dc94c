// id: large_arguments
// class: resources
// rows: 1
// axis: limits
// attempt: starts a program with arguments and variables of megabytes
// expected: E2BIG
// witness: outcome, processes
// control: reasoned: the kernel refuses the same outside, and what is tried is that the host stays whole
#include "attack.h"
int main(void) {
    static char *arguments[300];
    static char word[100000];
    memset(word, 'x', sizeof word - 1);
    arguments[0] = "true";
    for (int i = 1; i < 299; i++) arguments[i] = word;
    attempt();
    execve("/bin/true", arguments, arguments);
    refused(errno);
}
