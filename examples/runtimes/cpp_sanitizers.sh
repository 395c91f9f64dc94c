#!/usr/bin/env bash
# Programs with mistakes in them, and the sanitizers that have to find them; the same without the mistake runs to its end.
set -euo pipefail

cd /tmp
cat >memory.cpp <<'CPP'
#include <cstdio>
#include <cstdlib>
int main(int count, char **) {
    int *numbers = new int[4]();
    int index = count > 1 ? 4 : 3;
    int value = numbers[index];
    delete[] numbers;
    std::printf("ended with %d\n", value);
}
CPP
cat >number.cpp <<'CPP'
#include <climits>
#include <cstdio>
int main(int count, char **) { std::printf("ended with %d\n", INT_MAX - 1 + count); }
CPP
g++ -g -fsanitize=address memory.cpp -o memory &
g++ -g -fsanitize=undefined -fno-sanitize-recover=all number.cpp -o number
wait

# Looking for leaks at the end means tracing the process, which a run may not; all else works without it.
export ASAN_OPTIONS=detect_leaks=0
test "$(./number)" = "ended with 2147483647"
if ./number mistake 2>found; then exit 1; fi
grep -q "signed integer overflow" found
# Where no controller counts the memory of a run, what is mapped counts, and the sanitizer maps terabytes as its shadow.
if test "$(ulimit -d)" != unlimited; then
    if ./memory >/dev/null 2>found; then exit 1; fi
    grep -q "AddressSanitizer failed to allocate" found
    echo "no shadow memory where memory is polled"
    exit
fi
test "$(./memory)" = "ended with 0"
if ./memory mistake 2>found; then exit 1; fi
grep -q "heap-buffer-overflow" found
echo "sanitizers work"
