// id: read_cmdline
// class: introspection
// rows: 16
// axis: process_contained
// attempt: reads the arguments of a process of the host
// expected: ENOENT, EACCES, EPERM
// witness: secret
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    show_file(of_victim("cmdline"));
}
