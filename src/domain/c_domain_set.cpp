// Domains that change, and the arrays that follow: all are made and filled
// before any changes.
#include "base/failures.hpp"
#include "domain/assign.hpp"
#include "domain/wire.hpp"
#include "outer/calls.hpp"

#include <algorithm>

namespace dri::domain {

namespace {

void require_replaceable(const Elements &elements) {
    if (elements.is_callers_memory())
        fail(DRI_ERR_STATE, "an array over the domain has the caller's memory");
    if (elements.updating != Elements::Updating::no)
        fail(DRI_ERR_STATE, "an array over the domain has an update of overlap under way");
    if (assign_plans().has(elements.id(), [](const AssignPlan &plan) { return plan.under_way; }))
        fail(DRI_ERR_STATE, "an array over the domain has an assignment under way");
    if (outer::storage_is_under_way(elements.storage_id()))
        fail(DRI_ERR_STATE, "an array over the domain has a loop or a gather under way");
}

// The common members of both domains, in the direction of the new one.
Ranges common_members(const Space &next, const Space &old) {
    Ranges common;
    for (size_t d = 0; d < next.ndims(); ++d)
        common.push_back(math::common_of(next.ranges()[d], old.ranges()[d]));
    return common;
}

// Runs steps that all processes of the scope take; if one fails, all do.
class TogetherSteps {
public:
    TogetherSteps(std::vector<int> ranks, const Digest &called_with) : called_with_(called_with) {
        is_member_ = std::find(ranks.begin(), ranks.end(), world_rank()) != ranks.end();
        if (is_member_)
            scope_.emplace(std::move(ranks));
    }
    template <class Steps> void run(Steps &&steps) {
        std::exception_ptr failure;
        try {
            std::optional<QuietFailures> until_all_fail;
            if (is_member_)
                until_all_fail.emplace();
            steps();
        } catch (...) {
            failure = std::current_exception();
        }
        const auto rethrow = [&] {
            if (failure)
                std::rethrow_exception(failure);
        };
        if (is_member_)
            outer::agree(scope_->scope(), called_with_, "the ranges or the arrays of a domain", rethrow);
        else
            rethrow();
    }

private:
    Digest called_with_;
    bool is_member_;
    std::optional<RankScope> scope_;
};

void set_domain(DomainObject &domain, const std::shared_ptr<const DomainMap> &map, const DRI_Range ranges[]) {
    const auto old = domain.space();
    const auto &next_map = map ? map : old->shared_map();
    const bool fits = next_map->ndims() == old->map().ndims();
    const auto arrays = domain.arrays();
    Writer key;
    put_space(key, *old);
    put_owners(key, *next_map);
    if (ranges && fits)
        put_ranges(key, {ranges, static_cast<size_t>(next_map->ndims())});
    key.put(static_cast<int64_t>(arrays.size()));
    TogetherSteps together(union_of(old->map(), *next_map), digest(key.take()));
    std::shared_ptr<const Space> next;
    bool is_new = false;
    together.run([&] {
        if (!fits)
            fail(DRI_ERR_ARG, "the map has {} dimensions, but the domain has {}", next_map->ndims(),
                 old->map().ndims());
        outer::require_pointer(ranges, "ranges");
        next = std::make_shared<const Space>(next_map, checked_ranges(ranges, next_map->ndims(), "ranges"));
        is_new = !are_equal(*old, *next);
        if (is_new && domain.use() == DomainObject::Use::of_alias)
            fail(DRI_ERR_STATE,
                 "the domain is that of an alias, which has the memory of its array: clone the domain");
        for (const auto &array : arrays)
            if (is_new)
                require_replaceable(*array);
    });
    if (!is_new)
        return;
    const Ranges common = common_members(*next, *old);
    const auto target = std::make_shared<DomainObject>(next);
    std::vector<std::shared_ptr<Elements>> made(arrays.size());
    for (size_t i = 0; i < arrays.size(); ++i) {
        together.run([&] { made[i] = std::make_shared<Elements>(target, *arrays[i]); });
        if (volume_of(common) > 0)
            together.run([&] { assign({made[i], common}, {arrays[i], common}, false); });
    }
    for (size_t i = 0; i < arrays.size(); ++i)
        arrays[i]->swap_body(*made[i]);
    domain.set(next);
}

} // namespace

} // namespace dri::domain

extern "C" {

int DRI_domain_set(DRI_Domain domain, DRI_Map map, const DRI_Range ranges[]) {
    return dri::outer::run("DRI_domain_set", [&] {
        const auto found = dri::domain::DomainObjects::get(domain);
        dri::domain::set_domain(*found, map.id ? dri::domain::MapObjects::get(map) : nullptr, ranges);
    });
}
}
