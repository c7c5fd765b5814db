#include "mpi_type.hpp"

#include <limits>
#include <utility>

namespace bench {

// Uses predefined types if the size matches: MPI libraries copy them faster than rows of bytes.
MpiType MpiType::element(int64_t bytes) {
    switch (bytes) {
    case 1: return MpiType(MPI_BYTE, false);
    case 2: return MpiType(MPI_INT16_T, false);
    case 4: return MpiType(MPI_INT32_T, false);
    case 8: return MpiType(MPI_INT64_T, false);
    case 16: return MpiType(MPI_C_DOUBLE_COMPLEX, false);
    default: break;
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return MpiType(type, true);
}

MpiType::MpiType(MPI_Datatype type, bool is_own) : type_(type), is_own_(is_own) {}

MpiType::MpiType(MpiType &&other) noexcept : type_(other.type_), is_own_(std::exchange(other.is_own_, false)) {}

MpiType::~MpiType() {
    if (is_own_)
        MPI_Type_free(&type_);
}

} // namespace bench
