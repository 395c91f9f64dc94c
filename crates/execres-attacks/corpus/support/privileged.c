// A program that the host marks as set-uid or gives file capabilities. It does what only root may do.
#include "attack.h"
int main(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/touched", given("ROOTONLY"));
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    int error = errno;
    if (fd >= 0) worked("it acted as root");
    if (geteuid() == 0) worked("it is root");
    refused(error);
}
