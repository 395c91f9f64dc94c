#!/usr/bin/env bash
# A module of Go with a package and a test: built, run, and tested, with goroutines, channels and a timer.
set -euo pipefail

mkdir -p /tmp/primes/sieve
cd /tmp/primes
cat >go.mod <<'GO'
module example.com/primes

go 1.18
GO
cat >sieve/sieve.go <<'GO'
// Package sieve has a chain of goroutines, each of which removes the multiples of one prime.
package sieve

func filter(in <-chan int, out chan<- int, prime int) {
	for n := range in {
		if n%prime != 0 {
			out <- n
		}
	}
	close(out)
}

// Primes returns those below a limit.
func Primes(limit int) (primes []int) {
	numbers := make(chan int)
	go func() {
		for n := 2; n < limit; n++ {
			numbers <- n
		}
		close(numbers)
	}()
	for in := (<-chan int)(numbers); ; {
		prime, more := <-in
		if !more {
			return primes
		}
		primes = append(primes, prime)
		out := make(chan int)
		go filter(in, out, prime)
		in = out
	}
}
GO
cat >sieve/sieve_test.go <<'GO'
package sieve

import "testing"

func TestPrimes(t *testing.T) {
	if n := len(Primes(100)); n != 25 {
		t.Fatal(n)
	}
}
GO
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"example.com/primes/sieve"
)

func main() {
	var group sync.WaitGroup
	var lock sync.Mutex
	sum := 0
	for i := 0; i < 1000; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			time.Sleep(time.Millisecond)
			lock.Lock()
			sum += i
			lock.Unlock()
		}(i)
	}
	group.Wait()
	out, err := exec.Command("echo", "from a child").Output()
	if err != nil || sum != 499500 {
		fmt.Println(err, sum)
		os.Exit(1)
	}
	fmt.Print(string(out))
	fmt.Println(len(sieve.Primes(2000)), "primes below 2000")
}
GO
go build -o /tmp/bin/primes .
test "$(/tmp/bin/primes | tail -1)" = "303 primes below 2000"
go run . | grep "from a child" >/dev/null
go vet ./...
go test ./sieve >/dev/null
echo "go works"
