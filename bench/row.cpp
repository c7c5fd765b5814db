#include "row.hpp"

#include "world.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace bench {

namespace {

std::vector<RowKind> &extra_rows() {
    static std::vector<RowKind> rows;
    return rows;
}

std::vector<RowKind> all_rows() {
    std::vector<RowKind> rows{
        {"memcpy", Contender::memcpy, prepare_memcpy},
        {"non-temporal copy (limit)", Contender::limit, prepare_streamed_copy},
        {"DRI", Contender::dri, prepare_dri},
        {"DRI, pitch of its choice", Contender::dri_pitched, prepare_dri_pitched},
        {"DRI, buffers from malloc", Contender::dri_malloc, prepare_dri_malloc},
        {"DRI, buffers in DRI_alloc memory", Contender::dri_alloc, prepare_dri_alloc},
        {"pack + Isend/Irecv + unpack", Contender::hand, prepare_isend},
        {"pack + Alltoallv + unpack", Contender::hand, prepare_alltoallv},
        {"Alltoallw, subarray types", Contender::peer, prepare_alltoallw},
        {"FFTW-MPI transpose, MEASURE", Contender::peer, prepare_fftw},
    };
    // The linker decides the order of registration. Sorting gives all processes the same order.
    std::sort(extra_rows().begin(), extra_rows().end(),
              [](const RowKind &a, const RowKind &b) { return std::strcmp(a.name, b.name) < 0; });
    rows.insert(rows.end(), extra_rows().begin(), extra_rows().end());
    return rows;
}

} // namespace

const Part &own_part(const Side &side) { return side.parts[static_cast<size_t>(world().rank)]; }

ExtraRow::ExtraRow(const RowKind &kind) { extra_rows().push_back(kind); }

std::span<const RowKind> row_kinds() {
    static const std::vector<RowKind> rows = all_rows();
    return rows;
}

} // namespace bench
