// Threads, futures, condition variables and a clock.
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <future>
#include <iostream>
#include <mutex>
#include <numeric>
#include <queue>
#include <shared_mutex>
#include <thread>
#include <vector>

int main() {
    std::queue<int> queue;
    std::mutex mutex;
    std::condition_variable ready;
    std::atomic<long> sum = 0;
    std::vector<std::jthread> workers;
    for (int i = 0; i < 16; i++)
        workers.emplace_back([&] {
            for (;;) {
                std::unique_lock lock(mutex);
                ready.wait(lock, [&] { return !queue.empty(); });
                int value = queue.front();
                queue.pop();
                lock.unlock();
                if (value < 0) return;
                sum += value;
            }
        });
    for (int i = 0; i < 10000; i++) {
        std::lock_guard lock(mutex);
        queue.push(i);
        ready.notify_one();
    }
    for (int i = 0; i < 16; i++) {
        std::lock_guard lock(mutex);
        queue.push(-1);
        ready.notify_one();
    }
    workers.clear();
    if (sum != 49995000) return 1;

    auto half = std::async(std::launch::async, [] {
        std::vector<long> numbers(1000);
        std::iota(numbers.begin(), numbers.end(), 0);
        return std::accumulate(numbers.begin(), numbers.end(), 0L);
    });
    if (half.get() != 499500) return 2;
    auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(5)) return 3;
    std::cout << "C++ threads work\n";
}
