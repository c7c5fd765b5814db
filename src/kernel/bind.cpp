// Binds copies by the cost model.
#include "kernel/bind.hpp"

#include "kernel/choice.hpp"
#include "kernel/tables.hpp"

#include <algorithm>

namespace dri::kernel {

// A copy with tables is run by a TableWalk, which binds the copy inside the tables.
BoundCopy bind(const plan::StridedCopy &copy, Isa isa, int64_t working_set_bytes) {
    const plan::StridedCopy reduced = plan::canonical(copy);
    if (!reduced.tables.empty()) {
        const auto walk = std::make_shared<const TableWalk>(reduced, isa, working_set_bytes);
        return {reduced, walk->kernel(), Stores::cached, walk};
    }
    const int64_t written = std::max(plan::copy_bytes(reduced), working_set_bytes);
    return bind_as(reduced, model_choice(reduced, isa, written, cache_bytes()));
}

} // namespace dri::kernel
