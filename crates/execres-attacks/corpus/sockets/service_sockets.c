// id: service_sockets
// class: sockets
// rows: 42, 30
// axis: process_contained
// attempt: connects to the sockets of container engines, buses and agents
// expected: EPERM, EACCES, ENOENT, ECONNREFUSED
// witness: word
// control: reasoned: they are real services of the machine, which a control must not reach
#include "attack.h"
int main(void) {
    const char *paths[] = {"/run/docker.sock", "/var/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock", "/run/dbus/system_bus_socket", "/run/systemd/private", "/tmp/.X11-unix/X0", "/run/user/0/bus", "/run/user/1000/bus"};
    int last = ENOENT;
    attempt();
    for (int i = 0; i < 9; i++) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        strcpy(address.sun_path, paths[i]);
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0) refused(errno);
        if (connect(fd, (void *)&address, sizeof address) == 0) worked(paths[i]);
        last = errno;
        close(fd);
    }
    refused(last);
}
