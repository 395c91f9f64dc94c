# id: bash_env
# class: inheritance
# rows: 35, 38
# axis: host_filesystem_restricted
# attempt: has a shell run a file that a variable names, before anything else
# expected: exit
# witness: files
# control: outside
. "$ATTACK_PROGRAMS/attack.sh"
command -v bash >/dev/null || cannot "there is no bash"
attempt
BASH_ENV="$ATTACK_PROGRAMS/plant.sh" bash -c :
refused
