// id: ambient_capabilities
// class: privilege
// rows: 24
// axis: privilege_escalation_blocked
// attempt: keeps capabilities over an exec as ambient ones
// expected: EPERM
// witness: word
// control: outside in namespaces
#include "attack.h"
#include <linux/capability.h>
int main(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];
    syscall(SYS_capget, &header, data);
    data[0].inheritable |= data[0].permitted;
    attempt();
    syscall(SYS_capset, &header, data);
    report(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_BIND_SERVICE, 0, 0));
}
