// The contenders of the benchmark. A row of the table is one contender on one case.
#pragma once

#include "geometry.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace bench {

// A contender, ready to run on one case.
struct Contest {
    std::string unfit; // why it cannot run this case, equal on all processes; all other members are unset then
    std::byte *source = nullptr;
    std::byte *sink = nullptr;
    int64_t source_pitch = 0, sink_pitch = 0; // distance of rows of the fastest dimension in bytes; 0: packed
    bool sink_is_source_part = false; // plain copies: the sink receives the source's part of the same process
    std::function<void()> run;        // moves the data from the source to the sink
    std::shared_ptr<void> kept;       // owns the buffers and whatever else run() uses
};

// The part that this process holds.
const Part &own_part(const Side &side);

// Makes a contest from an exchange class with source(), sink() and run().
template <class Exchange> Contest contest_of(const std::shared_ptr<Exchange> &exchange) {
    Contest contest;
    contest.source = exchange->source();
    contest.sink = exchange->sink();
    contest.run = [exchange] { exchange->run(); };
    contest.kept = exchange;
    return contest;
}

// The role of a row. `dri` is the library, `dri_pitched` the library with DRI_PITCH_AUTO, `dri_malloc` the library
// with buffers from malloc, `dri_alloc` with buffers in memory of DRI_alloc. `limit` and `memcpy` are plain
// copies. `hand` is an exchange written by hand, `peer` a function of another library or of MPI.
enum class Contender { limit, memcpy, dri, dri_pitched, dri_malloc, dri_alloc, hand, peer };

struct RowKind {
    const char *name;
    Contender contender;
    Contest (*prepare)(const Case &); // collective; the source need not be filled yet
};

// All rows: those of this folder, then those of bench/peers that were built.
std::span<const RowKind> row_kinds();

// Registers the row of an optional peer. Such objects are defined at namespace scope.
struct ExtraRow {
    explicit ExtraRow(const RowKind &kind);
};

inline Contest unfit(std::string reason) {
    Contest contest;
    contest.unfit = std::move(reason);
    return contest;
}

Contest prepare_memcpy(const Case &c);
Contest prepare_streamed_copy(const Case &c);
Contest prepare_dri(const Case &c);
Contest prepare_dri_pitched(const Case &c);
Contest prepare_dri_malloc(const Case &c);
Contest prepare_dri_alloc(const Case &c);
Contest prepare_isend(const Case &c);
Contest prepare_alltoallv(const Case &c);
Contest prepare_alltoallw(const Case &c);
Contest prepare_fftw(const Case &c);

} // namespace bench
