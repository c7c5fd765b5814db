#include "job.hpp"

#include "support/loopback_transport.hpp"

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

Element value(int64_t sender, int64_t receiver) {
    return {static_cast<float>(sender + 1), static_cast<float>(receiver + 1)};
}

// Runs `work` in one thread per process. Throws the first failure after all threads have ended.
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

int64_t elements(const dri::commit::Endpoint &endpoint) {
    return endpoint.buffer_bytes() / static_cast<int64_t>(sizeof(Element));
}

dri::model::CutRule cut_in(int64_t parts) {
    dri::model::CutRule rule;
    rule.kind = dri::model::CutKind::block;
    rule.nparts = parts;
    return rule;
}

} // namespace

Job::Job(const Shape &shape) : shape_(shape), processes_(static_cast<size_t>(shape.processes)) {
    std::vector<int> ranks(processes_.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    const dri::model::Group world(ranks);
    const int64_t groups = shape.processes / shape.group, group = shape.group;
    const int64_t more_columns = shape.slides == Slides::source, more_rows = shape.slides == Slides::sink;
    const std::vector<int64_t> none(3, 0), sizes{groups, group + more_rows, group + more_columns};
    const dri::model::Gdo all = dri::model::make_gdo(dri::model::make_complex(dri::Scalar::float32), sizes);
    const auto box = [&](int64_t box_rows, int64_t box_columns) {
        return dri::model::make_subset(all, none, std::vector<int64_t>{groups, box_rows, box_columns});
    };
    const auto rows = std::make_shared<dri::model::Distribution>(
        box(group, group + more_columns), dri::model::Partition{cut_in(groups), cut_in(group), {}}, world);
    const auto columns = std::make_shared<dri::model::Distribution>(
        box(group + more_rows, group), dri::model::Partition{cut_in(groups), {}, cut_in(group)}, world);
    auto transports = dri::test::make_loopback(shape.processes);
    in_threads(shape.processes, [&](int rank) {
        Process &p = at(rank);
        p.session = std::make_unique<dri::commit::Session>(std::move(transports[static_cast<size_t>(rank)]));
        dri::commit::Attributes of_source;
        of_source.ways = shape.ways;
        dri::commit::Attributes of_sink = of_source;
        of_source.rebase = more_columns << 2;
        of_sink.rebase = more_rows << 1;
        // With two buffers no source waits for its sinks, so one thread can run all processes one after the other.
        p.source = p.session->declare({name, dri::commit::Role::source, rows, {}, {nullptr, nullptr}, of_source});
        p.sink = p.session->declare({name, dri::commit::Role::sink, columns, {}, {nullptr}, of_sink});
        p.session->commit(world);
        p.transfer = p.session->find(name)->transfer();
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

int64_t Job::window_offset(Slides side, int64_t frame) const { return shape_.slides == side ? 1 - frame % 2 : 0; }

void Job::move_source(Process &p) const {
    if (shape_.slides != Slides::source)
        return;
    const int64_t offset[]{0, 0, window_offset(Slides::source, p.source->progress().frames)};
    p.source->rebase(offset);
}

void Job::move_sink(Process &p) const {
    if (shape_.slides != Slides::sink)
        return;
    const int64_t offset[]{0, window_offset(Slides::sink, p.sink->progress().frames), 0};
    p.sink->rebase(offset);
}

void Job::run_source(Process &p) const {
    move_source(p);
    p.source->execute(dri::commit::Moves::endpoint);
}

void Job::run_sink(Process &p) const {
    move_sink(p);
    p.sink->execute(dri::commit::Moves::endpoint);
}

void Job::run_both(Process &p) const {
    move_source(p);
    move_sink(p);
    p.transfer->execute(p.transfer->all_endpoints());
}

void Job::fill() {
    for (int rank = 0; rank < size(); ++rank)
        for (std::byte *buffer : at(rank).source->state().buffers)
            for (int64_t i = 0; i < elements(*at(rank).source); ++i)
                reinterpret_cast<Element *>(buffer)[i] = value(rank, first_of_group(rank) + i);
}

void Job::poison() {
    for (Process &p : processes_)
        for (std::byte *buffer : p.sink->state().buffers)
            std::fill_n(reinterpret_cast<Element *>(buffer), elements(*p.sink), Element{});
}

int64_t Job::count_wrong() {
    int64_t wrong = 0;
    for (int rank = 0; rank < size(); ++rank) {
        const dri::exec::EndpointState &sink = at(rank).sink->state();
        const int64_t frame = at(rank).sink->progress().frames - 1;
        const auto *in =
            reinterpret_cast<const Element *>(sink.buffer(frame)) + window_offset(Slides::sink, frame);
        for (int64_t peer = first_of_group(rank); peer < first_of_group(rank) + shape_.group; ++peer)
            wrong += *in++ != value(peer, rank + window_offset(Slides::source, frame));
    }
    return wrong;
}

} // namespace overhead_bench
