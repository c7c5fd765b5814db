#pragma once

#include <mpi.h>

#include <cstdint>

namespace bench {

// An MPI datatype. The destructor frees it unless it is predefined.
class MpiType {
public:
    static MpiType element(int64_t bytes);
    explicit MpiType(MPI_Datatype type, bool is_own);
    MpiType(MpiType &&other) noexcept;
    MpiType(const MpiType &) = delete;
    MpiType &operator=(const MpiType &) = delete;
    ~MpiType();

    MPI_Datatype get() const { return type_; }

private:
    MPI_Datatype type_;
    bool is_own_;
};

} // namespace bench
