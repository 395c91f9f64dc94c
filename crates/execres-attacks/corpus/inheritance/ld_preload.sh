# id: ld_preload
# class: inheritance
# rows: 38
# axis: host_filesystem_restricted
# attempt: has the loader load what a variable names into a set-uid or any program
# expected: exit
# witness: files
# where: own-root
# control: reasoned: the loader runs as the guest whatever it loads, so there is no more to gain than without
. "$ATTACK_PROGRAMS/attack.sh"
attempt
LD_PRELOAD="$ATTACK_PROGRAMS/privileged" LD_AUDIT="$ATTACK_PROGRAMS/privileged" /bin/ls "$ATTACK_OUTSIDE" 2>/dev/null && [ -e "$ATTACK_OUTSIDE/secret" ] && worked listed
refused
