// kernel_bench: one StridedCopy by its kernel, beside plain copies of the same bytes, without processes and
// transfers. Each thread works on its own memory. Rows are measured alternately, so that all see the same state of
// the machine. This program uses internal headers of the library.
#include "../buffer.hpp"
#include "../streamed_copy.hpp"
#include "command_line.hpp"
#include "copy_text.hpp"

#include "kernel/bind.hpp"
#include "kernel/choice.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Row {
    std::string name;
    std::function<void(const std::byte *src, std::byte *dst)> run;
    std::vector<double> times = {};
};

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// A barrier between threads that spins instead of sleeping.
class Meeting {
public:
    explicit Meeting(int threads) : threads_(threads) {}
    void meet() {
        const int round = round_.load();
        if (arrived_.fetch_add(1) + 1 == threads_) {
            arrived_.store(0);
            round_.store(round + 1);
            return;
        }
        while (round_.load() == round) {
        }
    }

private:
    const int threads_;
    std::atomic<int> arrived_ = 0, round_ = 0;
};

void stay_on(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<size_t>(core), &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

// Calls the rows alternately on every thread, and records the slowest thread's time per call.
void take_turns(std::vector<Row> &rows, int threads, int repetitions, double min_seconds, int64_t src_bytes,
                int64_t dst_bytes) {
    Meeting meeting(threads);
    std::vector<double> seconds(static_cast<size_t>(threads));
    const auto work = [&](int me) {
        stay_on(me);
        const int64_t max = std::max(src_bytes, dst_bytes); // plain copies use as many bytes on both sides
        const bench::Buffer src(max), dst(max);
        std::memset(src.data(), 1 + me, static_cast<size_t>(max));
        for (int repetition = -1; repetition < repetitions; ++repetition)
            for (Row &row : rows) {
                int64_t calls = 1;
                row.run(src.data(), dst.data());
                for (double spent = 0; spent < min_seconds; calls *= 2) {
                    meeting.meet();
                    const auto begin = Clock::now();
                    for (int64_t i = 0; i < calls; ++i)
                        row.run(src.data(), dst.data());
                    seconds[static_cast<size_t>(me)] = std::chrono::duration<double>(Clock::now() - begin).count();
                    meeting.meet();
                    spent = *std::max_element(seconds.begin(), seconds.end());
                    if (me == 0 && repetition >= 0 && spent >= min_seconds)
                        row.times.push_back(spent / static_cast<double>(calls));
                    meeting.meet();
                }
            }
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i)
        others.emplace_back(work, i);
    work(0);
    for (std::thread &t : others)
        t.join();
}

void measure(const std::string &text, int threads, int repetitions, double min_seconds) {
    const dri::plan::StridedCopy copy = kernel_bench::parse_copy(text);
    const auto [src_bytes, dst_bytes] = kernel_bench::extents(copy);
    // Mean of the bytes read and the bytes written, which differ if the copy converts.
    const int64_t written = dri::plan::copy_bytes(copy) / copy.run_bytes * dri::plan::dst_run_bytes(copy);
    const auto bytes = static_cast<size_t>((dri::plan::copy_bytes(copy) + written) / 2);
    const auto nt = bench::streamed_copy();
    std::vector<Row> rows;
    rows.push_back({"non-temporal copy", [=](const std::byte *s, std::byte *d) { nt(d, s, bytes); }});
    rows.push_back({"memcpy", [=](const std::byte *s, std::byte *d) { std::memcpy(d, s, bytes); }});
    const dri::kernel::BoundCopy bound =
        dri::kernel::bind(copy, dri::kernel::best_isa(), dri::plan::copy_bytes(copy));
    for (const dri::kernel::Stores stores :
         {dri::kernel::Stores::cached, dri::kernel::Stores::fetched, dri::kernel::Stores::streaming}) {
        dri::kernel::BoundCopy other = bound;
        other.stores = stores;
        const char *chosen = stores == bound.stores ? " *" : "";
        rows.push_back(
            {std::string(bound.kernel->name) + ", " + dri::kernel::stores_name(stores) + chosen, other});
    }
    take_turns(rows, threads, repetitions, min_seconds, src_bytes, dst_bytes);
    std::printf("%s   %.3g MB per thread\n", dri::plan::to_text(dri::plan::canonical(copy)).c_str(),
                static_cast<double>(bytes) / 1e6);
    const double limit = std::min(median(rows[0].times), median(rows[1].times));
    for (const Row &row : rows) {
        const double t = median(row.times);
        std::printf("  %-28s %10.2f us  %6.2f GB/s  %5.2f of the faster plain copy\n", row.name.c_str(), t * 1e6,
                    static_cast<double>(bytes) / t / 1e9, limit / t);
    }
}

} // namespace

int main(int argc, char **argv) {
    std::vector<std::string> copies;
    int threads = 2, repetitions = 7;
    double min_seconds = 0.01;
    common::CommandLine asked("Measures kernels beside plain copies of the same bytes.");
    asked.add_repeated("--copy", copies, "A copy, such as \"8B x[64: 8->512] x[64: 512->8]\"; may be repeated");
    asked.require("--copy");
    asked.add("--threads", threads, {1, 1024}, "Threads, each bound to its own core");
    asked.add("--repetitions", repetitions, {1, 1000}, "Repetitions; the table shows their median");
    asked.add("--min-time", min_seconds, {0, 60}, "Minimum duration of a repetition in seconds");
    if (const auto code = asked.parse(argc, argv))
        return *code;
    try {
        for (const std::string &text : copies)
            measure(text, threads, repetitions, min_seconds);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "kernel_bench: %s\n", e.what());
        return 1;
    }
}
