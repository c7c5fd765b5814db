// Packs, sends and receives.
#include "by_hand.hpp"
#include "world.hpp"

#include <algorithm>
#include <cstring>

namespace domain_bench {

namespace {

void append(std::vector<Run> &runs, int64_t first, int64_t size) {
    if (!runs.empty() && runs.back().first + runs.back().size == first)
        runs.back().size += size;
    else
        runs.push_back({first, size});
}

// For each step of the indices that `own` has on this process: its place, by the owner in the other domain.
RunsOfAll runs_between(const dri::Domain<2> &own, const dri::Domain<2> &other, const dri::Ranges<2> &which,
                       int64_t together) {
    const auto [rank, size] = bench::world();
    RunsOfAll runs(static_cast<std::size_t>(size));
    for (const int64_t i : which[0])
        for (int64_t k = 0; k < which[1].size; k += together) {
            const dri::Index<2> at{i, which[1][k]};
            if (own.owner(at) == rank)
                append(runs[static_cast<std::size_t>(other.owner(at))], own.local_index(rank, at),
                       std::min(together, which[1].size - k));
        }
    return runs;
}

std::vector<int64_t> places_of(const std::vector<Run> &runs) {
    std::vector<int64_t> places;
    for (const Run &run : runs)
        for (int64_t k = 0; k < run.size; ++k)
            places.push_back(run.first + k);
    return places;
}

std::size_t elements_of(const std::vector<Run> &runs) {
    int64_t n = 0;
    for (const Run &run : runs)
        n += run.size;
    return static_cast<std::size_t>(n);
}

} // namespace

RunsOfAll sends_between(const dri::Domain<2> &from, const dri::Domain<2> &to, const dri::Ranges<2> &which,
                        int64_t together) {
    return runs_between(from, to, which, together);
}

RunsOfAll receives_between(const dri::Domain<2> &from, const dri::Domain<2> &to, const dri::Ranges<2> &which,
                           int64_t together) {
    return runs_between(to, from, which, together);
}

Exchange::Exchange(RunsOfAll sends, RunsOfAll receives, Copy copy)
    : copy_(copy), sends_(std::move(sends)), receives_(std::move(receives)) {
    for (const auto &runs : sends_) {
        out_.emplace_back(elements_of(runs));
        send_places_.push_back(copy == Copy::each ? places_of(runs) : std::vector<int64_t>());
    }
    for (const auto &runs : receives_) {
        in_.emplace_back(elements_of(runs));
        receive_places_.push_back(copy == Copy::each ? places_of(runs) : std::vector<int64_t>());
    }
}

void Exchange::operator()(const double *from, double *to) {
    const auto self = static_cast<std::size_t>(bench::world().rank);
    requests_.clear();
    for (std::size_t q = 0; q < in_.size(); ++q)
        if (q != self && !in_[q].empty())
            MPI_Irecv(in_[q].data(), static_cast<int>(in_[q].size()), MPI_DOUBLE, static_cast<int>(q), 0,
                      MPI_COMM_WORLD, &requests_.emplace_back());
    for (std::size_t q = 0; q < out_.size(); ++q) {
        double *at = (q == self ? in_[q] : out_[q]).data();
        if (copy_ == Copy::each) {
            for (const int64_t place : send_places_[q])
                *at++ = from[place];
        } else {
            for (const Run &run : sends_[q]) {
                std::memcpy(at, from + run.first, static_cast<std::size_t>(run.size) * sizeof(double));
                at += run.size;
            }
        }
        if (q != self && !out_[q].empty())
            MPI_Isend(out_[q].data(), static_cast<int>(out_[q].size()), MPI_DOUBLE, static_cast<int>(q), 0,
                      MPI_COMM_WORLD, &requests_.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (std::size_t q = 0; q < in_.size(); ++q) {
        const double *at = in_[q].data();
        if (copy_ == Copy::each) {
            for (const int64_t place : receive_places_[q])
                to[place] = *at++;
        } else {
            for (const Run &run : receives_[q]) {
                std::memcpy(to + run.first, at, static_cast<std::size_t>(run.size) * sizeof(double));
                at += run.size;
            }
        }
    }
}

} // namespace domain_bench
