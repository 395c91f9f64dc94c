#!/usr/bin/env bash
# What shell programs are made of: pipelines, process substitution, here-documents, coprocesses, job control, traps.
set -euo pipefail

test "$(seq 10000 | grep 7 | sort -rn | awk '{ sum += $1 } END { print NR }' | tr -d '\n')" = 3439
diff <(printf 'b\na\n' | sort) <(printf 'a\nb\n')
tee >(wc -c >/tmp/count) <<<"twelve chars" >/tmp/copy
until test -s /tmp/count; do sleep 0.01; done
test "$(cat /tmp/count)" -eq 13
name=world
test "$(cat <<END
hello $name
END
)" = "hello world"
test "$(cat <<'END'
hello $name
END
)" = 'hello $name'
mapfile -t lines < <(printf '%s\n' one two three)
test "${#lines[@]}" = 3
if false | true; then exit 1; fi
test "${PIPESTATUS[*]}" = "1 0" || true
coproc tr a-z A-Z
echo through >&"${COPROC[1]}"
exec {COPROC[1]}>&-
read -r answer <&"${COPROC[0]}"
test "$answer" = THROUGH
mkfifo /tmp/pipe
echo "by a name" >/tmp/pipe &
read -r answer </tmp/pipe
wait
test "$answer" = "by a name"
trap 'caught=yes' USR1
kill -USR1 $$
test "$caught" = yes
exec 5>/tmp/five && echo numbered >&5 && exec 5>&-
find /tmp -type f -print0 | xargs -0 -P4 -n1 cat >/dev/null 2>&1
(exit 7) || test $? = 7
tar -C /tmp -cz five count | tar -tz | sort | head -1 | grep -qx count
flock /tmp/lock timeout 5 true
ls /nowhere 2>/dev/null || echo "bash works"
