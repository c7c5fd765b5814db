#include "row.hpp"

namespace bench {

std::span<const RowKind> row_kinds() {
    static constexpr RowKind kinds[] = {
        {"memcpy", Contender::memcpy, prepare_memcpy},
        {limit_name, Contender::limit, prepare_streamed_copy},
        {dri_name, Contender::dri, prepare_dri},
        {"pack + Isend/Irecv + unpack", Contender::hand, prepare_isend},
        {"pack + Alltoallv + unpack", Contender::peer, prepare_alltoallv},
        {"Alltoallw, subarray types", Contender::peer, prepare_alltoallw},
        {"FFTW-MPI transpose, MEASURE", Contender::peer, prepare_fftw},
    };
    return kinds;
}

} // namespace bench
