// The Mandelbrot set: computed by several threads, written to output/mandelbrot.ppm, and shown small in characters.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kWidth = 900;
constexpr int kHeight = 600;
constexpr int kMaxIterations = 300;
constexpr double kLeft = -2.1, kRight = 0.9, kTop = 1.0, kBottom = -1.0;

// How soon the orbit of c escapes, smoothed to a fraction; kMaxIterations when it stays.
double escape_time(std::complex<double> c) {
    std::complex<double> z = 0;
    for (int n = 0; n < kMaxIterations; ++n) {
        z = z * z + c;
        if (std::norm(z) > 256.0) {
            return n + 1 - std::log2(std::log2(std::norm(z)) / 2);
        }
    }
    return kMaxIterations;
}

std::complex<double> point(int x, int y) {
    return {kLeft + (kRight - kLeft) * x / (kWidth - 1), kTop + (kBottom - kTop) * y / (kHeight - 1)};
}

// Rows differ in cost, so every thread takes the next free one instead of a fixed share.
std::vector<double> render(unsigned threads) {
    std::vector<double> times(static_cast<std::size_t>(kWidth) * kHeight);
    std::atomic<int> next_row = 0;
    auto work = [&] {
        for (int y = next_row++; y < kHeight; y = next_row++) {
            for (int x = 0; x < kWidth; ++x) {
                times[static_cast<std::size_t>(y) * kWidth + x] = escape_time(point(x, y));
            }
        }
    };
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < threads; ++i) {
        workers.emplace_back(work);
    }
    for (auto& worker : workers) {
        worker.join();
    }
    return times;
}

std::array<std::uint8_t, 3> colour(double time) {
    if (time >= kMaxIterations) {
        return {0, 0, 0};
    }
    const double t = std::sqrt(time / kMaxIterations);
    auto channel = [t](double phase) {
        return static_cast<std::uint8_t>(127.5 * (1 + std::cos(6.28318 * (1.6 * t + phase))));
    };
    return {channel(0.55), channel(0.45), channel(0.30)};
}

bool write_ppm(const std::filesystem::path& path, const std::vector<double>& times) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file << "P6\n" << kWidth << ' ' << kHeight << "\n255\n";
    for (double time : times) {
        const auto rgb = colour(time);
        file.write(reinterpret_cast<const char*>(rgb.data()), rgb.size());
    }
    file.close();
    return file.good();
}

void print_small(const std::vector<double>& times) {
    const std::string shades = " .:-=+*%@#";
    for (int y = 0; y < kHeight; y += kHeight / 24) {
        std::string line;
        for (int x = 0; x < kWidth; x += kWidth / 75) {
            const double t = times[static_cast<std::size_t>(y) * kWidth + x] / kMaxIterations;
            const auto shade = static_cast<std::size_t>(std::max(0.0, std::sqrt(t)) * static_cast<double>(shades.size() - 1));
            line += shades[std::min(shade, shades.size() - 1)];
        }
        std::cout << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
    }
}

}  // namespace

int main() {
    const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
    const auto times = render(threads);
    print_small(times);
    const auto inside = std::count(times.begin(), times.end(), static_cast<double>(kMaxIterations));
    std::cout << inside << " of " << times.size() << " pixels inside the set\n";
    if (!write_ppm("output/mandelbrot.ppm", times)) {
        std::cerr << "could not write output/mandelbrot.ppm\n";
        return EXIT_FAILURE;
    }
    std::cout << "wrote output/mandelbrot.ppm (" << kWidth << " x " << kHeight << ")\n";
}
