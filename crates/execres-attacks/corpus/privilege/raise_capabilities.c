// id: raise_capabilities
// class: privilege
// rows: 24
// axis: privilege_escalation_blocked
// attempt: raises its capabilities
// expected: EPERM
// witness: word
// control: outside in namespaces
#include "attack.h"
#include <linux/capability.h>
int main(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{1 << CAP_SYS_ADMIN, 1 << CAP_SYS_ADMIN, 0}, {0, 0, 0}};
    attempt();
    report(syscall(SYS_capset, &header, data));
}
