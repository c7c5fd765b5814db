// Checks an assignment, finds its plan, and runs it.
#include "domain/assign.hpp"

#include "base/common_settings.hpp"
#include "base/failures.hpp"
#include "domain/slow_maps.hpp"
#include "outer/calls.hpp"

#include <algorithm>
#include <exception>

namespace dri::domain {

namespace {

Dims shape_of(const Ranges &ranges) {
    Dims shape;
    for (const DRI_Range &r : ranges)
        if (r.size != 1)
            shape.push_back(r.size);
    return shape;
}

bool is_bulk(const AssignSide &dst, const AssignSide &src) {
    const ArraySettings &to = dst.elements->settings(), &from = src.elements->settings();
    return to.bulk && from.bulk && !to.copy && !from.copy && common_settings.bulk &&
           are_equal(dst.elements->kind(), src.elements->kind());
}

// What a plan is for, without an allocation.
using Key = FixedVector<int64_t, 2 * 3 * max_dims + 1>;

Key key_of(const AssignSide &dst, const AssignSide &src, bool bulk) {
    Key key{bulk ? 1 : 0};
    for (const AssignSide *side : {&dst, &src})
        for (const DRI_Range &r : side->ranges)
            for (const int64_t value : {r.size == 0 ? 0 : r.first, r.size < 2 ? 1 : r.stride, r.size})
                key.push_back(value);
    return key;
}

std::span<const std::byte> bytes_of(const Key &key) { return std::as_bytes(std::span(key.data(), key.size())); }

// The key with the domains, which are the same on all processes.
Digest digest_of(const AssignSide &dst, const AssignSide &src, const Key &key) {
    Writer all;
    all.put(bytes_of(key));
    for (const AssignSide *side : {&dst, &src}) {
        put_space(all, side->elements->space());
        all.put(static_cast<int64_t>(side->elements->kind().pitch));
    }
    return digest(all.take());
}

std::byte *buffer_of(DRI_Xfer xfer) {
    void *buffer = nullptr;
    outer::require(DRI_xfer_get_buffer(xfer, &buffer));
    return static_cast<std::byte *>(buffer);
}

int64_t packed_bytes_of(const AssignPlan &plan, const AssignSide &dst, const AssignSide &src) {
    return plan.pack.size * static_cast<int64_t>(src.elements->kind().pitch) +
           plan.unpack.size * static_cast<int64_t>(dst.elements->kind().pitch);
}

void run_plan(AssignPlan &plan, const AssignSide &dst, const AssignSide &src) {
    if (!plan.under_way && plan.source.get().id && !plan.pack.empty())
        pack(plan.pack, src.elements->body().memory->data(), buffer_of(plan.source.get()),
             src.elements->kind().pitch);
    if (plan.source.get().id || plan.sink.get().id) {
        apply_timeout(src.elements->settings(), plan.source_timeout, plan.source.get());
        apply_timeout(dst.elements->settings(), plan.sink_timeout, plan.sink.get());
        const int code = DRI_do(plan.name.c_str(), DRI_XFER_NULL);
        plan.under_way = code == DRI_ERR_TIMEOUT;
        outer::require(code);
    }
    if (!plan.sink.get().id || plan.unpack.empty())
        return;
    const ArraySettings &own = dst.elements->settings(), &other = src.elements->settings();
    const ArraySettings &puts = own.copy ? own : other;
    std::byte *const to = dst.elements->body().memory->data(), *const from = buffer_of(plan.sink.get());
    const size_t pitch = dst.elements->kind().pitch;
    if (puts.copy && are_equal(dst.elements->kind(), src.elements->kind()))
        unpack_each(plan.unpack, from, to, pitch,
                    [&puts](const std::byte *one, std::byte *place) { puts.copy(one, place, puts.copy_ctx); });
    else
        unpack(plan.unpack, from, to, pitch);
}

void require_no_update(const AssignSide &side) {
    if (side.elements->updating != Elements::Updating::no)
        fail(DRI_ERR_STATE, "an update of overlap of the array is under way");
}

} // namespace

void require_assignable(const AssignSide &dst, const AssignSide &src) {
    require_no_update(dst);
    require_no_update(src);
    if (shape_of(dst.ranges) != shape_of(src.ranges))
        fail(DRI_ERR_ARG, "the shapes differ: {} is assigned to {}", text_of(src.ranges), text_of(dst.ranges));
    const ElementKind &from = src.elements->kind(), &to = dst.elements->kind();
    if (!is_converted(from, to))
        fail(DRI_ERR_ARG, "elements of the type {} do not become those of the type {}", text_of(from),
             text_of(to));
}

// The others come to an agreement unless they have a plan. Where plans are kept they may have one: then this
// process fails alone and at once, because nobody might come.
void fail_on_all(const Elements &dst, const Elements &src) {
    const std::exception_ptr failure = std::current_exception();
    if (dst.body().position < 0 && src.body().position < 0)
        std::rethrow_exception(failure);
    if (!common_settings.check && assign_plans().count({dst.id(), src.id()}) > 0)
        std::rethrow_exception(failure);
    try {
        const QuietFailures until_it_is_told;
        const RankScope all(union_of(dst.space().map(), src.space().map()));
        outer::agree(all.scope(), {}, "an assignment", [&] { std::rethrow_exception(failure); });
    } catch (const outer::AlreadyReported &) { // they did not come: the cause is still this one
    }
    std::rethrow_exception(failure);
}

namespace {

// A map that fails here alone is told to those where it declines. A timeout is not: the same call goes on, and
// what the map waited for may have come to the others.
std::optional<DRI_Assign_path> asked_users(const AssignSide &dst, const AssignSide &src, int &tried) {
    try {
        return ask_users(dst, src, tried);
    } catch (const Error &error) {
        if (error.code() == DRI_ERR_TIMEOUT)
            throw;
        fail_on_all(*dst.elements, *src.elements);
    } catch (...) {
        fail_on_all(*dst.elements, *src.elements);
    }
}

} // namespace

DRI_Assigned assign(const AssignSide &dst, const AssignSide &src, bool ask_maps) {
    DRI_Assigned info{};
    require_no_update(dst);
    require_no_update(src);
    if (dst.elements->body().position < 0 && src.elements->body().position < 0)
        return info;
    const bool bulk = is_bulk(dst, src);
    const outer::PlanPair pair(dst.elements->id(), src.elements->id());
    const Key key = key_of(dst, src, bulk);
    size_t kept = 0;
    auto plan = assign_plans().find(pair, bytes_of(key), &kept);
    if (plan && plan->under_way && plan->asked) {
        info.tried = plan->asked; // the same call goes on, which users' maps have declined
    } else if (bulk && ask_maps) {
        if (const auto path = asked_users(dst, src, info.tried)) {
            info.path = *path;
            return info;
        }
        if (info.tried) // assignments inside may have made the plan, or other ones
            plan = assign_plans().find(pair, bytes_of(key), &kept);
    }
    if (plan && common_settings.check && !plan->under_way) {
        const RankScope all(union_of(dst.elements->space().map(), src.elements->space().map()));
        outer::agree(all.scope(), digest_of(dst, src, key), "an assignment", [] {});
    }
    if (!plan) {
        wait_for_maps({&dst.elements->space().map(), &src.elements->space().map()},
                      [&] { plan = make_assign_plan(dst, src, bulk, digest_of(dst, src, key)); });
        const auto bytes = bytes_of(key);
        assign_plans().insert(pair, Bytes(bytes.begin(), bytes.end()), plan);
        info.planned = 1;
        ++kept;
    }
    plan->asked = info.tried;
    run_plan(*plan, dst, src);
    info.path = plan->path;
    info.tried |= plan->tried;
    info.packed_bytes = packed_bytes_of(*plan, dst, src);
    const auto most = static_cast<size_t>(dst.elements->settings().plans);
    if (kept > most)
        assign_plans().keep_at_most(pair, most);
    return info;
}

} // namespace dri::domain
