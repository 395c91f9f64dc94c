# id: python_path
# class: inheritance
# rows: 35, 38
# axis: host_filesystem_restricted
# attempt: has an interpreter run a module that a variable names, before its program
# expected: exit
# witness: files
# control: outside
. "$ATTACK_PROGRAMS/attack.sh"
[ -x /usr/bin/python3 ] || cannot "there is no /usr/bin/python3"
attempt
PYTHONPATH="$ATTACK_PROGRAMS/path" /usr/bin/python3 -c pass
refused
