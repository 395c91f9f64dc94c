"""Processes with the start method of the first argument: queues, pipes, pools, locks, managers and shared memory."""

import multiprocessing
import sys
from multiprocessing import shared_memory


def square(number):
    return number * number


def work(questions, answers, lock, total, name):
    memory = shared_memory.SharedMemory(name)
    for number in iter(questions.get, None):
        with lock:
            total.value += number
            memory.buf[number] = number
        answers.send(number)
    memory.close()
    answers.close()


def main():
    context = multiprocessing.get_context(sys.argv[1])
    questions, lock, total = context.Queue(), context.Lock(), context.Value("i", 0, lock=False)
    (mine, theirs), memory = context.Pipe(), shared_memory.SharedMemory(create=True, size=64)
    worker = context.Process(target=work, args=(questions, theirs, lock, total, memory.name))
    worker.start()
    for number in (*range(10), None):
        questions.put(number)
    assert sorted(mine.recv() for _ in range(10)) == list(range(10))
    worker.join()
    assert (worker.exitcode, total.value, bytes(memory.buf[:10])) == (0, 45, bytes(range(10)))
    memory.close()
    memory.unlink()
    with context.Pool(4) as pool:
        assert pool.map(square, range(100)) == [n * n for n in range(100)]
    with context.Manager() as manager:
        shared = manager.dict()
        with context.Pool(2) as pool:
            shared.update(pool.map(pair, range(5)))
        assert shared[4] == 16
    print(f"multiprocessing with {context.get_start_method()} works")


def pair(number):
    return number, number * number


if __name__ == "__main__":
    main()
