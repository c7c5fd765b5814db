#include "job.hpp"

#include "transport/loopback_transport.hpp"

#include <algorithm>
#include <barrier>
#include <complex>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <thread>

namespace overhead_bench {

namespace {

using Element = std::complex<float>;
constexpr const char *name = "turn";

Element value(int giver, int taker) { return {static_cast<float>(giver + 1), static_cast<float>(taker + 1)}; }

// A thread for each process; the first failure goes on to the caller, once all have ended.
void in_threads(int processes, const std::function<void(int rank)> &work) {
    std::mutex mutex; // guards the failure
    std::exception_ptr failure;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < processes; ++rank)
        threads.emplace_back([&, rank] {
            try {
                work(rank);
            } catch (...) {
                const std::lock_guard lock(mutex);
                failure = failure ? failure : std::current_exception();
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    if (failure)
        std::rethrow_exception(failure);
}

dri::CutRule cut_in(int64_t parts) {
    dri::CutRule rule;
    rule.kind = dri::CutKind::block;
    rule.nparts = parts;
    return rule;
}

} // namespace

Job::Job(int processes, int group, int64_t ways) : group_(group), processes_(static_cast<size_t>(processes)) {
    std::vector<int> ranks(processes_.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    const dri::Group world(ranks);
    const int64_t groups = processes / group;
    const std::vector<int64_t> sizes{groups, group, group};
    const dri::Gdo gdo = dri::make_gdo(dri::make_complex(dri::Scalar::float32), sizes);
    const auto rows =
        std::make_shared<dri::Distribution>(gdo, dri::Partition{cut_in(groups), cut_in(group), {}}, world);
    const auto columns =
        std::make_shared<dri::Distribution>(gdo, dri::Partition{cut_in(groups), {}, cut_in(group)}, world);
    auto transports = dri::make_loopback(processes);
    in_threads(processes, [&](int rank) {
        Process &p = at(rank);
        p.session = std::make_unique<dri::Session>(std::move(transports[static_cast<size_t>(rank)]));
        dri::Attributes attributes;
        attributes.ways = ways;
        // With two buffers no source waits for its takers, so that one thread can run all processes in turn.
        p.source = p.session->declare({name, dri::Role::source, rows, {}, {nullptr, nullptr}, attributes});
        p.sink = p.session->declare({name, dri::Role::sink, columns, {}, {nullptr}, attributes});
        p.session->commit(world);
        p.transfer = p.session->find(name);
    });
    fill();
}

Job::~Job() {
    try {
        in_threads(size(), [&](int rank) {
            if (at(rank).session)
                at(rank).session->close();
        });
    } catch (const std::exception &error) {
        std::fprintf(stderr, "overhead_bench: %s\n", error.what());
    }
}

void Job::on_all(const std::function<void(Process &)> &work, const std::function<void()> &mark) {
    std::barrier all_are_here(size(), [&mark]() noexcept { mark(); });
    in_threads(size(), [&](int rank) {
        all_are_here.arrive_and_wait();
        work(at(rank));
        all_are_here.arrive_and_wait();
    });
}

void Job::fill() {
    for (int rank = 0; rank < size(); ++rank)
        for (std::byte *buffer : at(rank).source->end().buffers)
            for (int peer = 0; peer < group_; ++peer)
                reinterpret_cast<Element *>(buffer)[peer] = value(rank, rank / group_ * group_ + peer);
}

void Job::poison() {
    for (Process &p : processes_)
        for (std::byte *buffer : p.sink->end().buffers)
            std::fill_n(reinterpret_cast<Element *>(buffer), group_, Element{});
}

int64_t Job::count_wrong() {
    int64_t wrong = 0;
    for (int rank = 0; rank < size(); ++rank) {
        const dri::End &sink = at(rank).sink->end();
        const auto *in = reinterpret_cast<const Element *>(sink.buffer(sink.frames - 1));
        for (int peer = 0; peer < group_; ++peer)
            wrong += in[peer] != value(rank / group_ * group_ + peer, rank);
    }
    return wrong;
}

} // namespace overhead_bench
