# id: step_environment
# class: inheritance
# rows: 38, 40
# axis: host_filesystem_restricted
# attempt: has variables of the step take effect before the sandbox does
# expected: exit
# witness: files
# environment: BASH_ENV=$PROGRAMS/plant.sh, ENV=$PROGRAMS/plant.sh, PYTHONPATH=$PROGRAMS/path,
#    LD_LIBRARY_PATH=$PROGRAMS, NODE_OPTIONS=--require=$PROGRAMS/none.js, PERL5OPT=-d
# control: reasoned: what is tried is the order of things in the launcher, which the outside does not have
. "$ATTACK_PROGRAMS/attack.sh"
attempt
: "$BASH_ENV" "$PYTHONPATH" "$LD_LIBRARY_PATH"
refused
