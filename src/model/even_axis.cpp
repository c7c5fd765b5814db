// Joins the lists of an axis into one progression of indices, if they form one.
#include "model/even_axis.hpp"

namespace dri::model {

namespace {

// Indices at equal distances that follow each other locally.
struct Progression {
    int64_t first = 0, stride = 1, size = 0;

    int64_t last() const { return first + (size - 1) * stride; }
};

// Nothing if the runs are longer than one index and do not follow each other.
std::optional<Progression> progression_of(const Runs &runs) {
    if (runs.count > 1 && (runs.local_step != runs.size || runs.global_step == 0))
        return std::nullopt; // overlap between the runs, or one index again and again
    if (runs.size == 1)
        return Progression{runs.global, runs.count > 1 ? runs.global_step : 1, runs.count};
    if (runs.count > 1 && runs.global_step != runs.size)
        return std::nullopt;
    return Progression{runs.global, 1, runs.size * runs.count};
}

// Appends `more` to `all`. Returns whether the result is one progression again.
bool append(Progression &all, const Progression &more) {
    if (all.size == 0) {
        all = more;
        return true;
    }
    const int64_t gap = more.first - all.last();
    if ((all.size > 1 && gap != all.stride) || (more.size > 1 && gap != more.stride))
        return false;
    all.stride = gap;
    all.size += more.size;
    return gap != 0;
}

} // namespace

std::optional<EvenAxis> even_axis(const PartAxis &axis) {
    Progression all;
    const std::vector<Runs> &lists = axis.owned.lists();
    for (const Runs &runs : lists) {
        const auto more = progression_of(runs);
        const bool follows = runs.local == lists.front().local + all.size;
        if (!more || !follows || !append(all, *more))
            return std::nullopt;
    }
    EvenAxis even{.first = all.first, .stride = all.size > 1 ? all.stride : 1, .size = all.size};
    if (all.size > 0) {
        even.local = even.left = lists.front().local;
        even.right = axis.extent - even.local - all.size;
    }
    const bool surrounded = even.left > 0 || even.right > 0;
    return surrounded && even.stride != 1 ? std::nullopt : std::optional(even);
}

} // namespace dri::model
