// id: every_namespace
// class: privilege
// rows: 22
// axis: privilege_escalation_blocked
// attempt: makes each other kind of namespace
// expected: EPERM
// witness: word
// control: outside in namespaces
#include "attack.h"
int main(void) {
    int kinds[] = {CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP, 0x80};
    attempt();
    for (int i = 0; i < 7; i++) if (unshare(kinds[i]) == 0) worked("a namespace");
    refused(errno);
}
