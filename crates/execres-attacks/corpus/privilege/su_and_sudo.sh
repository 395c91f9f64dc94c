# id: su_and_sudo
# class: privilege
# rows: 21
# axis: privilege_escalation_blocked
# attempt: asks su, sudo, newuidmap, fusermount and pkexec for another identity
# expected: exit
# witness: word
# control: reasoned: outside they ask for a password, which a control does not have
. "$ATTACK_PROGRAMS/attack.sh"
attempt
for tool in "su root -c id" "sudo -n id" "pkexec id" "newuidmap $$ 0 0 1" "fusermount3 /tmp" "runuser -u root id"; do
    command -v ${tool%% *} >/dev/null 2>&1 || continue
    case $($tool 2>/dev/null </dev/null) in *uid=0*) worked $tool;; esac
done
refused
