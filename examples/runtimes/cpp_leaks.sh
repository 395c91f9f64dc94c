#!/usr/bin/env bash
# What does not work: LeakSanitizer traces the process, which the filter refuses. It says so and the program fails.
set -euo pipefail

cd /tmp
echo 'int main() { return 0; }' >plain.cpp
g++ -fsanitize=address plain.cpp -o plain
# Where no controller counts the memory of a run, what is mapped counts, and the sanitizer maps terabytes as its shadow.
if test "$(ulimit -d)" != unlimited; then
    if ./plain >/dev/null 2>found; then exit 1; fi
    grep -q "AddressSanitizer failed to allocate" found
    echo "no shadow memory where memory is polled"
    exit
fi
if ./plain 2>found; then
    echo "leaks are looked for"
    exit 1
fi
grep -q "LeakSanitizer has encountered a fatal error" found
echo "LeakSanitizer is refused and says so"
