// Compares operands where they count.
#include "array/recent_loops.hpp"

#include "array/plan_ledger.hpp"
#include "base/at_end.hpp"
#include "outer/any_array.hpp"

#include <algorithm>
#include <atomic>

namespace dri::array {

namespace {

size_t mixed(size_t hash, uint64_t value) { return (hash ^ value) * 0x9E3779B97F4A7C15u; }

bool is_same_range_of(const DRI_Range &a, const DRI_Range &b) {
    return a.first == b.first && a.stride == b.stride && a.size == b.size;
}

bool is_same_operand(const DRI_Operand &a, const DRI_Operand &b, int dims) {
    if (a.array.id != b.array.id || (a.array.id == 0 && a.data != b.data))
        return false;
    for (int d = 0; d < dims; ++d)
        if (!is_same_range_of(a.slice[d], b.slice[d]) || a.left[d] != b.left[d] || a.right[d] != b.right[d] ||
            (a.array.id == 0 && a.steps[d] != b.steps[d]))
            return false;
    return true;
}

} // namespace

RecentLoops &RecentLoops::all() {
    static auto *const loops = [] { // never destroyed: other static objects may end later
        auto *const made = new RecentLoops;
        at_end([] { all().entries_ = {}; });
        return made;
    }();
    return *loops;
}

// Operands of one dimension may have anything in their second one: they are not found then, which is no failure.
size_t RecentLoops::hash_of(const GivenOperands &given) {
    size_t hash = given.count();
    for (size_t i = 0; i < given.count(); ++i)
        if (const DRI_Operand *one = given[i])
            hash = mixed(mixed(mixed(hash, one->array.id), static_cast<uint64_t>(one->slice[0].first)),
                         static_cast<uint64_t>(one->slice[1].first));
    return hash ^ hash >> 32;
}

bool RecentLoops::is_same(const Entry &entry, const GivenOperands &given) {
    if (entry.given.size() != given.count() || (entry.given[0].array.id != 0) != (given.target != nullptr))
        return false;
    for (size_t i = given.target ? 0 : 1; i < given.count(); ++i)
        if (!is_same_operand(entry.given[i], *given[i], entry.dims[i]))
            return false;
    return true;
}

std::shared_ptr<LoopObject> RecentLoops::bind(Entry &entry) {
    if (entry.loop.use_count() > 1) // its handle exists
        return nullptr;
    std::atomic_thread_fence(std::memory_order_acquire); // the thread that had it is done
    const auto plan = entry.plan.lock();
    if (!plan || !PlanLedger::all().touch(*plan, entry.loop->storage_ids()))
        return nullptr;
    const uint64_t ended = outer::AnyArrays::table().ended();
    if (entry.ended != ended)
        for (const DRI_Array array : entry.arrays)
            static_cast<void>(outer::AnyArrays::get(array));
    entry.ended = ended;
    for (const auto &[operand, base] : entry.bases)
        if (!entry.loop->bind(operand, base.lock())) {
            entry.loop->rest();
            return nullptr;
        }
    entry.loop->bind(plan);
    return entry.loop;
}

std::shared_ptr<LoopObject> RecentLoops::find(const GivenOperands &given) {
    const size_t hash = hash_of(given);
    const std::lock_guard lock(mutex_);
    for (size_t k = 0; k < ways; ++k) {
        Entry &entry = entries_[(hash + k) % places];
        if (entry.loop && entry.hash == hash && is_same(entry, given))
            return bind(entry);
    }
    return nullptr;
}

void RecentLoops::insert(const GivenOperands &given, const Statement &statement,
                         const std::shared_ptr<LoopObject> &loop) {
    Entry made; // its arrays are asked for once more, because they may have ended since the loop was made
    made.ended = outer::AnyArrays::table().ended() - 1;
    made.hash = hash_of(given);
    made.plan = loop->shared_plan();
    made.loop = loop;
    for (size_t i = 0; i < given.count(); ++i) {
        const StatementOperand &one = statement.operands()[i];
        // An array over memory of the caller is resolved each time.
        if (one.array && outer::AnyArrays::get(given[i]->array)->whole())
            return;
        made.given.push_back(given[i] && (i > 0 || one.array) ? *given[i] : DRI_Operand{});
        made.dims.push_back(one.array ? one.ndims : given[i] ? statement.ndims() : 0);
        if (loop->array(i))
            made.bases.emplace_back(i, loop->array(i));
        const auto is_given = [&](DRI_Array known) { return known.id == given[i]->array.id; };
        if (one.array && std::none_of(made.arrays.begin(), made.arrays.end(), is_given))
            made.arrays.push_back(given[i]->array);
    }
    Entry gone; // destroyed after the lock is released
    const std::lock_guard lock(mutex_);
    Entry *place = &entries_[(made.hash + next_way_++ % ways) % places];
    for (size_t k = 0; k < ways; ++k) {
        Entry &entry = entries_[(made.hash + k) % places];
        if (!entry.loop || (entry.hash == made.hash && is_same(entry, given)))
            place = &entry;
    }
    gone = std::exchange(*place, std::move(made));
}

} // namespace dri::array
