// id: read_environ
// class: introspection
// rows: 16
// axis: process_contained
// attempt: reads the environment of a process of the host
// expected: ENOENT, EACCES, EPERM
// witness: secret
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    show_file(of_victim("environ"));
}
