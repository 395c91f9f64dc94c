// id: posix_shared_memory
// class: ipc
// rows: 43
// axis: host_filesystem_restricted
// attempt: reads shared memory of the host's by its name
// expected: ENOENT, EPERM, EACCES
// witness: secret
// control: outside
#include "attack.h"
int main(void) {
    attempt();
    show_file(given("SHM"));
}
