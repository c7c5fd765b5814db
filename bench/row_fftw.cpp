// FFTW-MPI's transpose, as its own parallel transforms use it.
#include "row.hpp"
#include "world.hpp"

#include <fftw3-mpi.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>

namespace bench {

namespace {

constexpr int64_t float_bytes = 4;

bool has_fftw_blocks(const Side &side, size_t dim, int64_t size) {
    const int64_t block = (size + world().size - 1) / world().size;
    for (size_t p = 0; p < side.parts.size(); ++p) {
        const int64_t begin = std::min(size, static_cast<int64_t>(p) * block);
        if (side.parts[p].extents[dim] != std::min(block, size - begin))
            return false;
    }
    return true;
}

bool is_whole(const Side &side, size_t dim, int64_t size) {
    for (const Part &part : side.parts)
        if (part.count > 0 && part.extents[dim] != size)
            return false;
    return true;
}

// Why FFTW cannot run the case; empty if it can. FFTW transposes a matrix that is cut along its slow dimension.
// `slow` is the slow dimension of the source.
std::string why_not(const Case &c, size_t slow) {
    const size_t fast = 1 - slow;
    if (c.source.order == c.sink.order)
        return "transposes only; this case keeps the order";
    if (!c.source.has_boxes_only() || !c.sink.has_boxes_only() || !is_whole(c.source, fast, c.sizes[fast]) ||
        !is_whole(c.sink, slow, c.sizes[slow]))
        return "only for cuts along the slow dimension";
    if (!has_fftw_blocks(c.source, slow, c.sizes[slow]) || !has_fftw_blocks(c.sink, fast, c.sizes[fast]))
        return "only for blocks of ceil(n/P)";
    if (c.element_bytes % float_bytes != 0)
        return "only for elements that consist of floats";
    if (c.bytes() == 0)
        return "not for empty arrays";
    return "";
}

struct Free {
    void operator()(float *data) const { fftwf_free(data); }
};
using Array = std::unique_ptr<float, Free>;

struct Destroy {
    void operator()(fftwf_plan plan) const { fftwf_destroy_plan(plan); }
};
using Plan = std::unique_ptr<std::remove_pointer_t<fftwf_plan>, Destroy>;

Array make_array(std::ptrdiff_t floats) {
    const auto bytes = static_cast<size_t>(floats) * sizeof(float);
    Array array(fftwf_alloc_real(static_cast<size_t>(floats)));
    if (!array)
        throw std::runtime_error("no memory for a buffer of " + std::to_string(bytes) + " bytes");
    return array;
}

} // namespace

Contest prepare_fftw(const Case &c) {
    if (c.sizes.size() != 2)
        return unfit("only for two dimensions");
    const auto slow = static_cast<size_t>(c.source.order[0]);
    if (const std::string reason = why_not(c, slow); !reason.empty())
        return unfit(reason);

    struct Memory {
        Array source, sink;
        Plan plan;
    };
    const std::ptrdiff_t sizes[] = {c.sizes[slow], c.sizes[1 - slow]};
    const std::ptrdiff_t floats = c.element_bytes / float_bytes;
    std::ptrdiff_t rows = 0, first_row = 0, columns = 0, first_column = 0;
    const std::ptrdiff_t needed =
        fftwf_mpi_local_size_many_transposed(2, sizes, floats, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK,
                                             MPI_COMM_WORLD, &rows, &first_row, &columns, &first_column);
    const auto memory = on_all_or_none([needed] {
        return std::make_shared<Memory>(Memory{make_array(needed + 1), make_array(needed + 1), nullptr});
    });
    memory->plan.reset(fftwf_mpi_plan_many_transpose(sizes[0], sizes[1], floats, FFTW_MPI_DEFAULT_BLOCK,
                                                     FFTW_MPI_DEFAULT_BLOCK, memory->source.get(),
                                                     memory->sink.get(), MPI_COMM_WORLD, FFTW_MEASURE));
    if (!on_all(memory->plan != nullptr))
        return unfit("FFTW has no plan for this case");

    Contest contest;
    contest.source = reinterpret_cast<std::byte *>(memory->source.get());
    contest.sink = reinterpret_cast<std::byte *>(memory->sink.get());
    contest.run = [plan = memory->plan.get()] { fftwf_execute(plan); };
    contest.kept = memory;
    return contest;
}

} // namespace bench
