// id: read_maps
// class: introspection
// rows: 16
// axis: process_contained
// attempt: reads the map of the memory, with the names of what is mapped, of a process of the host
// expected: ENOENT, EACCES, EPERM
// witness: secret
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    show_file(of_victim("maps"));
}
