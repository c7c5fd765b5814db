// PETSc: a star forest with a leaf for each element. Built if the package is installed.
#include "buffer.hpp"
#include "mpi_type.hpp"
#include "row.hpp"

#include <petscsf.h>
#include <petscsys.h>

#include <limits>
#include <stdexcept>
#include <vector>

namespace bench {

namespace {

void check_petsc(PetscErrorCode code) {
    if (code)
        throw std::runtime_error("PETSc failed with code " + std::to_string(code));
}

// Starts PETSc once. It is never finalised, because MPI may be finalised without that.
void start_petsc() {
    PetscBool started = PETSC_FALSE;
    check_petsc(PetscInitialized(&started));
    if (!started)
        check_petsc(PetscInitializeNoArguments());
}

// For an index along one dimension: the grid coordinate of the process that holds it, and its local index.
struct HeldAt {
    int64_t coordinate, local;
};

std::vector<HeldAt> holders_along(const Side &side, size_t dim, int64_t size) {
    std::vector<HeldAt> holders(static_cast<size_t>(size));
    int64_t stride = 1;
    for (size_t d = dim + 1; d < side.grid.size(); ++d)
        stride *= side.grid[d];
    for (int64_t coordinate = 0; coordinate < side.grid[dim]; ++coordinate) {
        int64_t local = 0;
        for (const Run &run : side.parts[static_cast<size_t>(coordinate * stride)].runs[dim])
            for (int64_t i = run.begin; i < run.begin + run.count; ++i)
                holders[static_cast<size_t>(i)] = {coordinate, local++};
    }
    return holders;
}

// The roots of all leaves of a part, in the order of the part's memory.
std::vector<PetscSFNode> roots(const Case &c) {
    const Part &mine = own_part(c.sink);
    const size_t ndims = c.sizes.size();
    std::vector<std::vector<HeldAt>> holders;
    std::vector<std::vector<int64_t>> globals(ndims);
    for (size_t d = 0; d < ndims; ++d) {
        holders.push_back(holders_along(c.source, d, c.sizes[d]));
        for (const Run &run : mine.runs[d])
            for (int64_t i = run.begin; i < run.begin + run.count; ++i)
                globals[d].push_back(i);
    }
    std::vector<PetscSFNode> nodes(static_cast<size_t>(mine.count));
    Dims local(ndims, 0);
    for (PetscSFNode &node : nodes) {
        int64_t rank = 0;
        for (size_t d = 0; d < ndims; ++d)
            rank = rank * c.source.grid[d] +
                   holders[d][static_cast<size_t>(globals[d][static_cast<size_t>(local[d])])].coordinate;
        const Part &theirs = c.source.parts[static_cast<size_t>(rank)];
        int64_t offset = 0;
        for (size_t d = 0; d < ndims; ++d)
            offset += holders[d][static_cast<size_t>(globals[d][static_cast<size_t>(local[d])])].local *
                      theirs.strides[d];
        node = {static_cast<PetscInt>(rank), static_cast<PetscInt>(offset)};
        for (size_t k = ndims; k-- > 0;) {
            const auto d = static_cast<size_t>(mine.order[k]);
            if (++local[d] < mine.extents[d])
                break;
            local[d] = 0;
        }
    }
    return nodes;
}

class Forest {
public:
    explicit Forest(const Case &c)
        : type_(MpiType::element(c.element_bytes)), source_(own_part(c.source).count * c.element_bytes),
          sink_(own_part(c.sink).count * c.element_bytes) {
        std::vector<PetscSFNode> nodes = roots(c);
        check_petsc(PetscSFCreate(MPI_COMM_WORLD, &forest_));
        check_petsc(PetscSFSetGraph(forest_, static_cast<PetscInt>(own_part(c.source).count),
                                    static_cast<PetscInt>(nodes.size()), nullptr, PETSC_COPY_VALUES, nodes.data(),
                                    PETSC_COPY_VALUES));
        check_petsc(PetscSFSetUp(forest_));
    }
    Forest(const Forest &) = delete;
    Forest &operator=(const Forest &) = delete;
    ~Forest() { PetscSFDestroy(&forest_); }

    void run() const {
        check_petsc(PetscSFBcastBegin(forest_, type_.get(), source_.data(), sink_.data(), MPI_REPLACE));
        check_petsc(PetscSFBcastEnd(forest_, type_.get(), source_.data(), sink_.data(), MPI_REPLACE));
    }

    std::byte *source() const { return source_.data(); }
    std::byte *sink() const { return sink_.data(); }

private:
    MpiType type_;
    PetscSF forest_ = nullptr;
    Buffer source_, sink_;
};

Contest prepare_petsc(const Case &c) {
    if (c.element_bytes != 1 && c.element_bytes != 4 && c.element_bytes != 8 && c.element_bytes != 16)
        return unfit("only for element sizes of MPI's predefined types");
    if (c.bytes() / c.element_bytes > std::numeric_limits<PetscInt>::max())
        return unfit("counts exceed PetscInt");
    start_petsc();
    return contest_of(std::make_shared<Forest>(c));
}

const ExtraRow row({"PETSc PetscSFBcast", Contender::peer, prepare_petsc});

} // namespace

} // namespace bench
