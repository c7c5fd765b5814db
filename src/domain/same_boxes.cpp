// Finds out whether a user's map answers alike on all processes, and if not, about which index.
#include "domain/same_boxes.hpp"

#include "domain/slow_maps.hpp"
#include "domain/wire.hpp"
#include "outer/calls.hpp"

#include <dri/group.h>

#include <algorithm>

namespace dri::domain {

namespace {

// The values of all processes.
template <class T> std::vector<T> gather(const outer::Partners &scope, const T &mine) {
    std::vector<T> all(scope.ranks.size());
    outer::require(DRI_group_gather(scope.group, DRI_SUCCESS, &mine, sizeof mine, nullptr, all.data(),
                                    static_cast<int64_t>(all.size() * sizeof mine)));
    return all;
}

// The first process whose value is not that of the first one, or 0.
template <class T> size_t first_other(const std::vector<T> &all) {
    const auto other = std::find_if(all.begin(), all.end(), [&](const T &one) { return !(one == all.front()); });
    return other == all.end() ? 0 : static_cast<size_t>(other - all.begin());
}

Digest digest_of_boxes(const Space &space) {
    Writer out;
    for (int q = 0; q < space.map().num_positions(); ++q) {
        const Holding &own = space.holding(q);
        out.put(own.num_boxes());
        for (int64_t i = 0; i < own.num_boxes(); ++i) {
            const Ranges box = own.box(i);
            put_ranges(out, box);
        }
    }
    return digest(out.take());
}

int position_at(const Space &space, int64_t order) {
    const Dims dense = space.dense_at(order);
    int q = 0;
    while (space.holding(q).own_place(dense) < 0)
        ++q;
    return q;
}

Digest digest_of_owners(const Space &space, int64_t from, int64_t to) {
    Writer out;
    for (int64_t order = from; order < to; ++order)
        out.put(position_at(space, order));
    return digest(out.take());
}

[[noreturn]] void fail_at_difference(const Space &space, const outer::Partners &scope, size_t other) {
    const auto &name = std::get<UserMap>(space.map().sort()).name();
    // The first index with several owners is in [from, to), if there is one at all.
    int64_t from = 0, to = space.size();
    while (to - from > 1) {
        const int64_t middle = from + (to - from) / 2;
        (first_other(gather(scope, digest_of_owners(space, from, middle))) ? to : from) = middle;
    }
    const std::vector<int> positions = gather(scope, position_at(space, from));
    const size_t with_other_owner = first_other(positions);
    if (with_other_owner == 0)
        fail(DRI_ERR_MISMATCH, "processes {} and {} disagree about the boxes of the map '{}', or their order",
             scope.ranks.front(), scope.ranks[other], name);
    Dims index(space.ndims());
    space.get_index(space.dense_at(from), index.begin());
    fail(DRI_ERR_MISMATCH,
         "processes {} and {} disagree about the map '{}': {} belongs to position {} on the one, to position {} "
         "on the other",
         scope.ranks.front(), scope.ranks[with_other_owner], name, text_of_index({index.data(), index.size()}),
         positions.front(), positions[with_other_owner]);
}

} // namespace

void agree_on_boxes(const outer::Partners &scope, const Space &space, const Digest &called_with, const char *what,
                    const std::function<void()> &steps) {
    const bool is_users = std::holds_alternative<UserMap>(space.map().sort());
    wait_for_maps({&space.map()}, [&] {
        outer::agree(scope, called_with, what, [&] {
            if (is_users)
                check_boxes(space);
            steps();
        });
        if (!is_users || space.size() == 0)
            return;
        if (const size_t other = first_other(gather(scope, digest_of_boxes(space))))
            fail_at_difference(space, scope, other);
    });
}

} // namespace dri::domain
