#!/usr/bin/env bash
# A data race, and the sanitizer that has to find it.
set -euo pipefail

cd /tmp
cat >race.cpp <<'CPP'
#include <cstdio>
#include <thread>
int counter;
int main(int count, char **) {
    std::thread one([] { counter++; });
    if (count == 1) one.join();
    counter++;
    if (count > 1) one.join();
    std::puts("ended");
}
CPP
g++ -g -fsanitize=thread -pthread race.cpp -o race
# Where no controller counts the memory of a run, what is mapped counts, and the sanitizer maps terabytes as its shadow.
if test "$(ulimit -d)" != unlimited; then
    if ./race >/dev/null 2>found; then exit 1; fi
    grep -q "ThreadSanitizer failed to allocate" found
    echo "no shadow memory where memory is polled"
    exit
fi
test "$(./race)" = "ended"
if ./race mistake >/dev/null 2>found; then exit 1; fi
grep -q "data race" found
echo "ThreadSanitizer works"
