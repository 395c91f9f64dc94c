// id: list_sockets
// class: sockets
// rows: 42, 46
// axis: process_contained
// attempt: reads the names of the sockets of the host
// expected: no effect, EACCES, ENOENT
// witness: secret
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    FILE *list = fopen("/proc/net/unix", "r");
    if (!list) refused(errno);
    char line[1024];
    while (fgets(line, sizeof line, list)) fputs(line, stdout);
    attempted();
}
