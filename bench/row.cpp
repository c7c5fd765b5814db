#include "row.hpp"

namespace bench {

std::span<const RowKind> row_kinds() {
    static constexpr RowKind kinds[] = {
        {"memcpy", prepare_memcpy},
        {limit_name, prepare_streamed_copy},
        {dri_name, prepare_dri},
        {"pack + Alltoallv + unpack", prepare_alltoallv},
        {"Alltoallw, subarray types", prepare_alltoallw},
        {"FFTW-MPI transpose, MEASURE", prepare_fftw},
    };
    return kinds;
}

} // namespace bench
