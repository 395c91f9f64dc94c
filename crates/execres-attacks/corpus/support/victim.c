// A process that an attack is aimed at: of the host, with the identity of the guest, or of another owner's run.
//
// It holds a secret in its memory, environment, arguments, files and the names of its sockets, listens wherever it can, and
// says TOUCHED for whatever reaches or changes it, and CHECKED each time that it has looked.
#include "attack.h"
#include <mqueue.h>
#include <poll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>

static char secret[64], memory_before[64];
static int shm = -1, sem = -1, msg = -1;
static mqd_t queue = -1;
static char *segment;

static void touched(const char *how, long detail) {
    printf("TOUCHED %s %ld\n", how, detail);
    fflush(stdout);
}

static const char *told(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

static int remove_all(void) {
    key_t key = strtol(told("VICTIM_KEY"), 0, 0);
    shmctl(shmget(key, 0, 0), IPC_RMID, 0);
    semctl(semget(key, 0, 0), 0, IPC_RMID);
    msgctl(msgget(key, 0), IPC_RMID, 0);
    mq_unlink(told("VICTIM_QUEUE"));
    unlink(told("VICTIM_SHM"));
    return 0;
}

static void make_ipc(void) {
    key_t key = strtol(told("VICTIM_KEY"), 0, 0);
    shm = shmget(key, 4096, IPC_CREAT | 0666);
    if (shm >= 0) segment = shmat(shm, 0, 0);
    if (segment == (char *)-1) segment = 0;
    sem = semget(key, 1, IPC_CREAT | 0666);
    msg = msgget(key, IPC_CREAT | 0666);
    struct mq_attr attr = {.mq_maxmsg = 4, .mq_msgsize = 16};
    queue = mq_open(told("VICTIM_QUEUE"), O_CREAT | O_RDONLY | O_NONBLOCK, 0666, &attr);
    int file = open(told("VICTIM_SHM"), O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
    if (file >= 0) { write(file, secret, strlen(secret)); close(file); }
}

static void check_ipc(void) {
    if (segment && *segment) { touched("sysv_memory", *segment); *segment = 0; }
    int value = sem >= 0 ? semctl(sem, 0, GETVAL) : 0;
    if (value > 0) { touched("sysv_semaphore", value); semctl(sem, 0, SETVAL, 0); }
    struct { long type; char text[16]; } message;
    if (msg >= 0 && msgrcv(msg, &message, 16, 0, IPC_NOWAIT) >= 0) touched("sysv_message", message.type);
    char text[16];
    if (queue >= 0 && mq_receive(queue, text, sizeof text, 0) >= 0) touched("posix_message", 0);
}

static int listening(int family, int type, struct sockaddr *address, socklen_t length) {
    int fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, address, length) || (type == SOCK_STREAM && listen(fd, 16))) return -1;
    return fd;
}

static int port(int fd) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (fd < 0 || getsockname(fd, (struct sockaddr *)&address, &length)) return 0;
    return ntohs(((struct sockaddr_in *)&address)->sin_port);
}

struct state { int nice, policy, io; cpu_set_t processors; struct rlimit files; long oom; pid_t group, sid; };

static long number_in(const char *path, const char *field) {
    static char text[4096];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t size = read(fd, text, sizeof text - 1);
    close(fd);
    text[size > 0 ? size : 0] = 0;
    char *at = field ? strstr(text, field) : text;
    return at ? strtol(at + (field ? strlen(field) : 0), 0, 10) : 0;
}

static struct state state(void) {
    struct state now = {0};
    now.nice = getpriority(PRIO_PROCESS, 0);
    now.policy = sched_getscheduler(0);
    now.io = syscall(SYS_ioprio_get, 1, 0);
    sched_getaffinity(0, sizeof now.processors, &now.processors);
    getrlimit(RLIMIT_NOFILE, &now.files);
    now.oom = number_in("/proc/self/oom_score_adj", 0);
    now.group = getpgid(0);
    now.sid = getsid(0);
    return now;
}

static void check_state(struct state *before) {
    struct state now = state();
    if (now.nice != before->nice) touched("nice", now.nice);
    if (now.policy != before->policy) touched("scheduler", now.policy);
    if (now.io != before->io) touched("io_priority", now.io);
    if (!CPU_EQUAL(&now.processors, &before->processors)) touched("affinity", CPU_COUNT(&now.processors));
    if (now.files.rlim_cur != before->files.rlim_cur) touched("limit", now.files.rlim_cur);
    if (now.oom != before->oom) touched("oom_score_adj", now.oom);
    if (now.group != before->group) touched("process_group", now.group);
    long tracer = number_in("/proc/self/status", "TracerPid:");
    if (tracer) touched("tracer", tracer);
    if (memcmp(secret, memory_before, sizeof secret)) touched("memory", secret[0]);
    memcpy(secret, memory_before, sizeof secret);
    *before = now;
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "--remove")) return remove_all();
    snprintf(secret, sizeof secret, "%s", told("VICTIM_TOKEN"));
    memcpy(memory_before, secret, sizeof secret);
    // Where the host restricts who may look into whom, this process allows everybody, so that the control can.
    prctl(PR_SET_PTRACER, -1L, 0, 0, 0);
    alarm(300);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, 0);
    int signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    make_ipc();
    int named = memfd_create(secret, MFD_CLOEXEC);
    write(named, secret, strlen(secret));
    mmap(0, 4096, PROT_READ, MAP_SHARED, named, 0);

    struct sockaddr_un path = {.sun_family = AF_UNIX}, name = {.sun_family = AF_UNIX}, mail = {.sun_family = AF_UNIX};
    snprintf(path.sun_path, sizeof path.sun_path, "%s", told("VICTIM_UNIX"));
    int length = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "%s", told("VICTIM_ABSTRACT"));
    int mail_length = snprintf(mail.sun_path + 1, sizeof mail.sun_path - 1, "%s-mail", told("VICTIM_ABSTRACT"));
    struct sockaddr_un box = {.sun_family = AF_UNIX};
    snprintf(box.sun_path, sizeof box.sun_path, "%s-mail", told("VICTIM_UNIX"));
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, datagram = four;
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int base = offsetof(struct sockaddr_un, sun_path) + 1;
    struct pollfd fds[] = {
        {signals, POLLIN, 0},
        {listening(AF_UNIX, SOCK_STREAM, (void *)&path, sizeof path), POLLIN, 0},
        {listening(AF_UNIX, SOCK_STREAM, (void *)&name, base + length), POLLIN, 0},
        {listening(AF_UNIX, SOCK_DGRAM, (void *)&mail, base + mail_length), POLLIN, 0},
        {listening(AF_INET, SOCK_STREAM, (void *)&four, sizeof four), POLLIN, 0},
        {listening(AF_INET6, SOCK_STREAM, (void *)&six, sizeof six), POLLIN, 0},
        {listening(AF_INET, SOCK_DGRAM, (void *)&datagram, sizeof datagram), POLLIN, 0},
        {listening(AF_UNIX, SOCK_DGRAM, (void *)&box, sizeof box), POLLIN, 0},
    };
    const char *names[] = {"signal", "unix_path", "unix_abstract", "unix_datagram", "tcp", "tcp6", "udp", "unix_box"};
    chmod(path.sun_path, 0777);
    chmod(box.sun_path, 0777);
    // A second memfd whose name is not the secret, at a number that the attack is told.
    struct state before = state();
    printf("READY PID=%d TCP=%d TCP6=%d UDP=%d MEMORY=%p FD=%d\n", getpid(), port(fds[4].fd), port(fds[5].fd),
           port(fds[6].fd), (void *)secret, named);
    fflush(stdout);
    for (long round = 0;; round++) {
        poll(fds, 8, 5);
        for (int i = 0; i < 8; i++) {
            if (!(fds[i].revents & POLLIN)) continue;
            if (i == 0) {
                struct signalfd_siginfo got;
                while (read(signals, &got, sizeof got) == sizeof got) {
                    if (got.ssi_signo == SIGALRM) return 0;
                    touched("signal", got.ssi_signo);
                }
            } else if (i == 3 || i == 6 || i == 7) {
                char text[256];
                touched(names[i], recv(fds[i].fd, text, sizeof text, 0));
            } else {
                int peer = accept4(fds[i].fd, 0, 0, SOCK_CLOEXEC);
                touched(names[i], peer);
                send(peer, secret, strlen(secret), MSG_NOSIGNAL);
                close(peer);
            }
        }
        check_ipc();
        check_state(&before);
        printf("CHECKED %ld\n", round);
        fflush(stdout);
    }
}
