// id: system_files
// class: files
// rows: 31, 35, 40
// axis: host_filesystem_restricted
// attempt: writes to the system's programs, configuration and root
// expected: ENOENT, EACCES, EROFS, EPERM, EXDEV, EISDIR
// witness: word
// control: reasoned: an ordinary identity is refused outside by permissions, and root must not be let
#include "attack.h"
int main(void) {
    const char *paths[] = {"/usr/x", "/usr/bin/env", "/etc/passwd", "/etc/ld.so.cache", "/etc/ld.so.preload", "/x", "/bin/x", "/lib/x", "/boot/x", "/root/.bashrc", "/var/spool/cron/x", "/run/x"};
    attempt();
    for (int i = 0; i < 12; i++) if (open(paths[i], O_CREAT | O_WRONLY | O_CLOEXEC, 0600) >= 0) worked(paths[i]);
    if (chmod("/usr/bin/env", 0755) == 0) worked("mode");
    refused(EACCES);
}
