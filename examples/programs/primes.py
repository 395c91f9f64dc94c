"""Sieve the primes below five million and look at the gaps between them."""

from collections import Counter
from itertools import pairwise
from math import isqrt, log

LIMIT = 5_000_000


def primes_below(limit: int) -> list[int]:
    """The sieve of Eratosthenes over odd numbers; index i stands for 2 * i + 1."""
    is_prime = bytearray([1]) * (limit // 2)
    is_prime[0] = 0
    for number in range(3, isqrt(limit) + 1, 2):
        if is_prime[number // 2]:
            start, step = number * number // 2, number
            is_prime[start::step] = bytes(len(range(start, len(is_prime), step)))
    return [2] + [2 * index + 1 for index, prime in enumerate(is_prime) if prime]


def main() -> None:
    primes = primes_below(LIMIT)
    gaps = Counter(high - low for low, high in pairwise(primes))
    widest = max(gaps)
    low, high = next(pair for pair in pairwise(primes) if pair[1] - pair[0] == widest)

    print(f"{len(primes):,} primes below {LIMIT:,}; the last is {primes[-1]:,}")
    print(f"the prime number theorem expects about {LIMIT / (log(LIMIT) - 1):,.0f}")
    print(f"twins (gap 2): {gaps[2]:,} pairs")
    print(f"widest gap: {widest}, between {low:,} and {high:,}")
    print()
    print("most common gaps")
    most = gaps.most_common(1)[0][1]
    for gap, count in gaps.most_common(8):
        print(f"{gap:>4}  {count:>7,}  {'█' * round(40 * count / most)}")


if __name__ == "__main__":
    main()
