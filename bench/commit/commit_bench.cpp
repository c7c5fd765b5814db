// commit_bench: what a process receives in a commit, as the numbers of processes and names grow. Every process is
// a thread with the loopback transport, so a large job needs no machine. Therefore this program uses internal
// headers of the library.
#include "command_line.hpp"

#include "commit/protocol.hpp"
#include "support/counting_transport.hpp"
#include "support/loopback_transport.hpp"

#include <algorithm>
#include <barrier>
#include <cstdio>
#include <mutex>
#include <thread>

namespace {

using dri::commit::Role;

struct Declared {
    std::string name;
    Role role;
    std::shared_ptr<const dri::model::Distribution> dist;
};

constexpr int64_t elements = 1 << 20;

std::shared_ptr<const dri::model::Distribution> blocks(const std::vector<int> &ranks) {
    dri::model::CutRule cut;
    cut.kind = dri::model::CutKind::block;
    const std::vector<int64_t> sizes{elements};
    return std::make_shared<dri::model::Distribution>(
        dri::model::make_gdo(dri::model::make_complex(dri::Scalar::float32), sizes), dri::model::Partition{cut},
        dri::model::Group(ranks));
}

std::vector<int> ranks(int n, int first, int world) {
    std::vector<int> out;
    for (int i = 0; i < n; ++i)
        out.push_back((first + i) % world);
    return out;
}

// Every process holds the source and the sink endpoint of every name. Sources and sinks have one distribution
// each.
std::vector<Declared> on_all(int processes, int names) {
    const auto from = blocks(ranks(processes, 0, processes)), to = blocks(ranks(processes, 1, processes));
    std::vector<Declared> out;
    for (int n = 0; n < names; ++n) {
        out.push_back({fmt::format("name {}", n), Role::source, from});
        out.push_back({fmt::format("name {}", n), Role::sink, to});
    }
    return out;
}

// Each name has eight source processes and eight sink processes, with its own distributions. The names are spread
// over all processes.
std::vector<Declared> on_sixteen(int processes, int names) {
    constexpr int side = 8;
    std::vector<Declared> out;
    for (int n = 0; n < names; ++n) {
        const int first = n * 2 * side;
        out.push_back({fmt::format("name {}", n), Role::source, blocks(ranks(side, first, processes))});
        out.push_back({fmt::format("name {}", n), Role::sink, blocks(ranks(side, first + side, processes))});
    }
    return out;
}

// Bytes that each process would receive if every process sent its endpoints to all.
int64_t bytes_of_all(const std::vector<Declared> &declared) {
    int64_t bytes = 0;
    for (const Declared &d : declared) {
        dri::Writer out;
        dri::commit::put(
            out,
            *std::make_shared<dri::commit::Endpoint>(
                dri::commit::Declaration{d.name, d.role, d.dist, {}, {nullptr}, {}}, d.dist->group().rank(0)),
            false);
        bytes += d.dist->group().size() * static_cast<int64_t>(out.take().size() + d.dist->wire().size());
    }
    return bytes;
}

struct Cost {
    double endpoints = 0; // per process
    int64_t max_bytes = 0, max_messages = 0, bytes = 0, messages = 0;
    double milliseconds = 0;
};

Cost measure(int processes, const std::vector<Declared> &declared) {
    std::vector<std::vector<std::shared_ptr<dri::commit::Endpoint>>> endpoints(static_cast<size_t>(processes));
    std::vector<dri::commit::KnownDistributions> known(endpoints.size());
    Cost cost;
    for (const Declared &d : declared)
        for (int rank : d.dist->group().ranks()) {
            dri::commit::Declaration declaration{d.name, d.role, d.dist, {}, {nullptr}, {}};
            endpoints[static_cast<size_t>(rank)].push_back(
                std::make_shared<dri::commit::Endpoint>(std::move(declaration), rank));
            known[static_cast<size_t>(rank)].emplace(d.dist->id(), d.dist);
            cost.endpoints += 1.0 / processes;
        }
    const dri::model::Group scope(ranks(processes, 0, processes));
    auto world = dri::test::make_loopback(processes);
    std::barrier all_are_here(processes + 1);
    std::mutex mutex; // guards cost and the failure
    std::string failure;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < processes; ++rank)
        threads.emplace_back([&, rank] {
            const auto r = static_cast<size_t>(rank);
            dri::test::CountingTransport transport(*world[r]);
            dri::commit::Counters counters;
            all_are_here.arrive_and_wait();
            const dri::transport::Outcome outcome = dri::commit::outcome_of(
                [&] {
                    const auto matching = dri::commit::match_scope(
                        {{transport, "DRI_commit", scope, std::chrono::minutes(5), nullptr},
                         endpoints[r],
                         known[r],
                         nullptr},
                        counters);
                    if (matching.outcome.code != DRI_SUCCESS)
                        throw dri::Error(matching.outcome.code, matching.outcome.message);
                },
                rank);
            const std::lock_guard lock(mutex);
            if (outcome.code != DRI_SUCCESS)
                failure = outcome.message;
            cost.max_bytes = std::max(cost.max_bytes, transport.received().bytes);
            cost.max_messages = std::max(cost.max_messages, transport.received().messages);
            cost.bytes += transport.received().bytes;
            cost.messages += transport.received().messages;
        });
    const auto begin = std::chrono::steady_clock::now();
    all_are_here.arrive_and_wait();
    for (auto &thread : threads)
        thread.join();
    cost.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    if (!failure.empty())
        throw std::runtime_error(failure);
    return cost;
}

} // namespace

int main(int argc, char **argv) {
    std::vector<int> processes{64, 256, 1024}, names{1, 10, 100};
    common::CommandLine asked("What a process receives in a commit, as processes and names grow");
    asked.add("--processes", processes, {16, 1 << 14}, "Numbers of processes, at least 16");
    asked.add("--names", names, {1, 10000}, "Numbers of names");
    if (const auto code = asked.parse(argc, argv))
        return *code;
    try {
        std::printf(
            "| endpoints of a name | processes | names | endpoints per process | bytes, mean | bytes, maximum | "
            "messages, mean | messages, maximum | all to all: bytes | ms, all threads "
            "|\n|---|---|---|---|---|---|---|---|---|---|\n");
        for (const auto &[where, declare] : {std::pair("on all", &on_all), {"on 8 + 8", &on_sixteen}})
            for (int p : processes)
                for (int n : names) {
                    const auto declared = declare(p, n);
                    const Cost c = measure(p, declared);
                    std::printf("| %s | %d | %d | %.2f | %lld | %lld | %lld | %lld | %lld | %.2f |\n", where, p, n,
                                c.endpoints, static_cast<long long>(c.bytes / p),
                                static_cast<long long>(c.max_bytes), static_cast<long long>(c.messages / p),
                                static_cast<long long>(c.max_messages),
                                static_cast<long long>(bytes_of_all(declared)), c.milliseconds);
                    std::fflush(stdout);
                }
    } catch (const std::exception &error) {
        std::fprintf(stderr, "commit_bench: %s\n", error.what());
        return 1;
    }
    return 0;
}
