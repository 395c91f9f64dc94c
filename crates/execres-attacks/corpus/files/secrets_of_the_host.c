// id: secrets_of_the_host
// class: files
// rows: 30
// axis: host_filesystem_restricted
// attempt: reads passwords, keys and tokens where systems keep them
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV
// witness: word
// control: reasoned: they are real secrets, which a control must not read
#include "attack.h"
int main(void) {
    const char *paths[] = {"/etc/shadow", "/etc/sudoers", "/root/.ssh/id_rsa", "/root/.bash_history", "/etc/ssh/ssh_host_ed25519_key", "/var/run/secrets/kubernetes.io/serviceaccount/token", "/root/.aws/credentials", "/run/docker.sock", "/var/lib/dbus/machine-id", "/proc/1/root/etc/shadow"};
    attempt();
    for (int i = 0; i < 10; i++) if (open(paths[i], O_RDONLY | O_CLOEXEC) >= 0) worked(paths[i]);
    refused(EACCES);
}
