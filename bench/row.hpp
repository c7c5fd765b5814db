// The contenders. A row of the table is one of them on one case.
#pragma once

#include "geometry.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace bench {

// A contender, ready to run on one case.
struct Contest {
    std::string unfit; // why it cannot do this case; the rest is unset then. The same on all processes
    std::byte *source = nullptr;
    std::byte *sink = nullptr;
    int64_t source_pitch = 0, sink_pitch = 0; // bytes between rows of the fastest dimension; 0: packed
    bool sink_is_source_part = false;         // a plain copy: what arrives is the source's part again
    std::function<void()> run;                // moves the source into the sink
    std::shared_ptr<void> kept;               // what all this lives on
};

// What this process holds.
const Part &own_part(const Side &side);

// A contest that an exchange of its own class runs.
template <class Exchange> Contest contest_of(const std::shared_ptr<Exchange> &exchange) {
    Contest contest;
    contest.source = exchange->source();
    contest.sink = exchange->sink();
    contest.run = [exchange] { exchange->run(); };
    contest.kept = exchange;
    return contest;
}

// What a row is to the library: itself; itself with rows as far apart as it likes, or in buffers from malloc; and
// so on.
enum class Contender { limit, memcpy, dri, dri_pitched, dri_malloc, hand, peer };

struct RowKind {
    const char *name;
    Contender contender;
    Contest (*prepare)(const Case &); // collective; the source need not be filled yet
};

// All rows: those of this folder, then those of bench/peers that were built.
std::span<const RowKind> row_kinds();

// A row of a peer that need not be there. Such objects live at namespace scope.
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
Contest prepare_isend(const Case &c);
Contest prepare_alltoallv(const Case &c);
Contest prepare_alltoallw(const Case &c);
Contest prepare_fftw(const Case &c);

} // namespace bench
