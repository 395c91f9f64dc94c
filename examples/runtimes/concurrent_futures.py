"""Pools of threads and of processes, results as they come, a failure, and a time that runs out."""

import concurrent.futures as futures
import math
import threading


def bits(number):
    return math.factorial(number).bit_length()


def fail():
    raise ValueError("as it should")


def main():
    with futures.ProcessPoolExecutor(4) as pool:
        jobs = {pool.submit(bits, n): n for n in range(100, 2000, 100)}
        assert sum(job.result() for job in futures.as_completed(jobs)) == sum(map(bits, range(100, 2000, 100)))
        assert isinstance(pool.submit(fail).exception(), ValueError)
    with futures.ThreadPoolExecutor(32) as pool:
        assert sum(pool.map(bits, range(200))) == sum(map(bits, range(200)))
        never = threading.Event()
        late = pool.submit(never.wait)
        try:
            late.result(timeout=0.01)
        except futures.TimeoutError:
            never.set()
        assert late.result() is True
    print("concurrent.futures works")


if __name__ == "__main__":
    main()
