// Plans assignments: both sides become distributions of one shape, whose
// transfer is committed over the processes of both maps.
#include "base/failures.hpp"
#include "domain/assign.hpp"
#include "domain/assign_end.hpp"
#include "outer/calls.hpp"

#include <dri/xfer.h>
#include <exception>

namespace dri::domain {

namespace {

// Turns pairs of dimensions so that memory of dst rises.
void turn_forwards(AssignSide &dst, AssignSide &src) {
    const Ranges &whole = dst.elements->space().ranges();
    size_t s = 0;
    for (size_t d = 0; d < dst.ranges.size(); ++d) {
        if (dst.ranges[d].size == 1)
            continue;
        while (src.ranges[s].size == 1)
            ++s;
        DRI_Range &to = dst.ranges[d], &from = src.ranges[s++];
        if (to.size == 0 || (to.stride > 0) == (whole[d].stride > 0))
            continue;
        for (DRI_Range *range : {&to, &from})
            *range = {math::member_at(*range, range->size - 1), -range->stride, range->size};
    }
}

bool is_library_map(const AssignSide &side) {
    return !std::holds_alternative<UserMap>(side.elements->space().map().sort());
}

AssignWay way_of(const AssignEnd &to, const AssignEnd &from, bool bulk, bool library_maps) {
    AssignWay way;
    if (!bulk)
        return way;
    if (library_maps) {
        way.tried |= DRI_ASSIGN_KNOWN;
        if (to.is_known() && from.is_known()) {
            way.path = DRI_ASSIGN_KNOWN;
            return way;
        }
    }
    if (to.can_list() && from.can_list()) {
        way.tried |= DRI_ASSIGN_ANY;
        way.path = DRI_ASSIGN_ANY;
    }
    return way;
}

} // namespace

std::shared_ptr<AssignPlan> make_assign_plan(const AssignSide &dst, const AssignSide &src, bool bulk,
                                             const Digest &key) {
    AssignSide to = dst, from = src;
    turn_forwards(to, from);
    const RankScope all(union_of(to.elements->space().map(), from.elements->space().map()));
    auto plan = std::make_shared<AssignPlan>();
    std::optional<AssignEnd> sink, source;
    plan->name = outer::agree(all.scope(), key, "an assignment", [&] {
        sink.emplace(to, DRI_SINK);
        source.emplace(from, DRI_SOURCE);
        const bool flat = sink->own_form() == DenseForm::flat || source->own_form() == DenseForm::flat;
        sink->choose(flat);
        source->choose(flat);
        const AssignWay way = way_of(*sink, *source, bulk, is_library_map(to) && is_library_map(from));
        plan->path = way.path;
        plan->tried = way.tried;
        sink->prepare(way.path == DRI_ASSIGN_ELEMENT); // each element is put by itself
        source->prepare(to.elements == from.elements); // as if it were read first
    });
    // Each is collective over one side only, so the other side must learn of a failure.
    std::exception_ptr failure;
    for (AssignEnd *end : {&*source, &*sink}) {
        try {
            const QuietFailures until_all_fail;
            end->make_dist();
        } catch (...) {
            failure = failure ? failure : std::current_exception();
        }
    }
    outer::agree(all.scope(), key, "an assignment", [&] {
        if (failure)
            std::rethrow_exception(failure);
        const bool converts = !are_equal(to.elements->kind(), from.elements->kind());
        plan->source = source->make_end(plan->name, converts);
        plan->sink = sink->make_end(plan->name, converts);
    });
    std::vector<DRI_Xfer> ends;
    for (const outer::OwnedXfer *end : {&plan->source, &plan->sink})
        if (end->get().id)
            ends.push_back(end->get());
    outer::require(DRI_commit_ends(all.group(), static_cast<int>(ends.size()), ends.data()));
    plan->pack = source->take_packing();
    plan->unpack = sink->take_packing();
    return plan;
}

} // namespace dri::domain
