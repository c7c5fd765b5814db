// Makes the memory of arrays, and finds elements there.
#include "domain/elements.hpp"

#include "base/at_end.hpp"
#include "base/checked.hpp"
#include "base/failures.hpp"
#include "base/memory.hpp"
#include "domain/assign_plans.hpp"
#include "domain/same_boxes.hpp"
#include "domain/wire.hpp"
#include "outer/calls.hpp"

#include <dri/env.h>
#include <dri/memory.h>
#include <dri/xfer.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

namespace dri::domain {

namespace {

std::atomic<uint64_t> next_elements{1};

// Address space for halos before and behind the rows of an array without overlap that is cut along dimension 0
// alone: as much as the rows take, and at least 64 KB. Rows keep the start that memory of their own would have.
size_t halo_space(const Space &space, const Holding &own, size_t bytes) {
    constexpr size_t least = size_t{64} << 10;
    if (!own.is_product() || own.num_boxes() > 1 || own.owned() != own.held())
        return 0;
    for (size_t d = 1; d < space.ndims(); ++d)
        if (own.owned() > 0 && own.axes()[d].size() != space.sizes()[d])
            return 0;
    const auto unit = static_cast<int64_t>(bytes < huge_page_bytes ? page_bytes : huge_page_bytes);
    return static_cast<size_t>(round_up(static_cast<int64_t>(std::max(bytes, least)), unit));
}

// Memory that a transfer still used when its array ended, such as the result of a move whose plan is kept. It is
// freed when nothing uses it any more.
class LateFrees {
public:
    static LateFrees &all() {
        static auto *const frees = new LateFrees; // never destroyed: arrays may end later
        return *frees;
    }
    void free(std::byte *memory) {
        if (!is_in_use(memory))
            return;
        const std::lock_guard lock(mutex_);
        waiting_.push_back(memory);
    }
    void retry() {
        const std::lock_guard lock(mutex_);
        std::erase_if(waiting_, [](std::byte *memory) { return !is_in_use(memory); });
    }

private:
    // Frees the memory unless it is in use. The user's last message stays.
    static bool is_in_use(std::byte *memory) {
        const QuietFailures quiet;
        const std::string message = DRI_error_message();
        const int code = DRI_free(memory);
        if (code != DRI_SUCCESS)
            static_cast<void>(DRI_fail(code, message.c_str()));
        return code == DRI_ERR_STATE;
    }

    LateFrees() {
        at_end([] { all().retry(); });
    }
    std::mutex mutex_;
    std::vector<std::byte *> waiting_;
};

} // namespace

void apply(const ArraySettings &settings, DRI_Xfer end) {
    outer::require(DRI_xfer_set_attr(end, DRI_ATTR_THREADS, settings.threads));
    if (settings.timeout_ms)
        outer::require(DRI_xfer_set_attr(end, DRI_ATTR_TIMEOUT_MS, *settings.timeout_ms));
}

void apply_timeout(const ArraySettings &settings, std::optional<int64_t> &last, DRI_Xfer end) {
    if (!end.id || last == settings.timeout_ms || !settings.timeout_ms)
        return;
    outer::require(DRI_xfer_set_attr(end, DRI_ATTR_TIMEOUT_MS, *settings.timeout_ms));
    last = settings.timeout_ms;
}

ArrayMemory::~ArrayMemory() {
    if (own_)
        LateFrees::all().free(own_);
}

void ArrayMemory::allocate(size_t bytes, size_t alignment, size_t space) {
    void *made = nullptr;
    LateFrees::all().retry();
    outer::require(DRI_alloc(std::max<size_t>(bytes + 2 * space, 1), alignment, &made));
    own_ = static_cast<std::byte *>(made);
    data_ = own_ + space;
    before_ = behind_ = static_cast<int64_t>(space);
}

int world_rank() {
    int rank = 0;
    outer::require(DRI_world_rank(&rank));
    return rank;
}

RankScope::RankScope(std::vector<int> ranks) : ranks_(std::move(ranks)) {
    outer::require(DRI_group_create(static_cast<int>(ranks_.size()), ranks_.data(), group_.out()));
}

std::vector<int> union_of(const DomainMap &a, const DomainMap &b) {
    std::vector<int> ranks = a.ranks();
    ranks.insert(ranks.end(), b.ranks().begin(), b.ranks().end());
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

void put_space(Writer &out, const Space &space) {
    put_owners(out, space.map());
    put_ranges(out, space.ranges());
}

// A process with a wrong type takes part, so that nobody waits for it.
Elements::Elements(std::shared_ptr<DomainObject> domain, DRI_Type type, void *data,
                   const std::function<void()> &first)
    : id_(next_elements++), domain_(std::move(domain)) {
    std::string message;
    int code = DRI_SUCCESS;
    try {
        const QuietFailures quiet;
        kind_ = kind_of(type);
    } catch (const outer::AlreadyReported &failed) {
        code = failed.code;
        message = DRI_error_message();
    }
    make_body(data, [&] {
        if (code != DRI_SUCCESS)
            fail(static_cast<DRI_Code>(code), "{}", message);
        first();
    });
}

Elements::Elements(std::shared_ptr<DomainObject> domain, const Elements &like)
    : id_(next_elements++), domain_(std::move(domain)), kind_(kind_of(like.kind().type.get())),
      settings_(like.settings()) {
    make_body(nullptr, [] {});
}

Elements::Elements(std::shared_ptr<DomainObject> domain, DRI_Type type, std::shared_ptr<ArrayMemory> memory)
    : id_(next_elements++), domain_(std::move(domain)), kind_(kind_of(type)) {
    find_place();
    if (memory)
        body_->memory = std::move(memory);
    else if (body_->position >= 0)
        allocate();
    renew_view();
}

Elements::~Elements() {
    update.reset();
    assign_plans().drop(id_);
    outer::storage_ends(storage_id_);
}

void Elements::find_place() {
    body_ = std::make_unique<ArrayBody>();
    body_->space = domain_->space();
    body_->position = body_->space->map().position_of(world_rank());
}

void Elements::allocate() {
    const int64_t held = body_->holding().held();
    const auto bytes = static_cast<size_t>(checked_mul(held, static_cast<int64_t>(kind_.pitch)));
    body_->memory->allocate(bytes, kind_.alignment, halo_space(*body_->space, body_->holding(), bytes));
}

void Elements::make_body(void *data, const std::function<void()> &first) {
    find_place();
    const Space &space = *body_->space;
    if (body_->position < 0) {
        first();
        renew_view();
        return;
    }
    Writer key;
    put_space(key, space);
    key.put(static_cast<int64_t>(kind_.size)).put(static_cast<int64_t>(kind_.alignment));
    key.put(static_cast<int64_t>(kind_.is_predefined ? kind_.type.get().id : 0));
    const RankScope all(space.map().ranks());
    agree_on_boxes(all.scope(), space, digest(key.take()), "the domain or the type of an array", [&] {
        first();
        if (data && reinterpret_cast<uintptr_t>(data) % kind_.alignment != 0)
            fail(DRI_ERR_ARG, "data is not aligned to {} bytes", kind_.alignment);
        if (data)
            body_->memory->use(data);
        else
            allocate();
    });
    callers_ = data != nullptr;
    renew_view();
}

void Elements::renew_view() {
    const ArrayBody &body = *body_;
    if (body.position < 0 || body.holding().owned() == 0)
        view_ = empty_view(*this);
    else
        view_ = view_of(*this, body.holding().box(0), undensify(body.holding().box(0), space().ranges()), true);
}

void Elements::swap_body(Elements &other) {
    update.reset();
    assign_plans().drop(id_);
    assign_plans().drop(other.id_);
    outer::storage_ends(storage_id_);
    storage_id_ = outer::next_storage();
    shown = nullptr;
    std::swap(body_, other.body_);
    ++generation_;
    renew_view();
}

DRI_View empty_view(const Elements &elements) {
    DRI_View view{};
    view.data = elements.body().memory->data();
    view.element_bytes = static_cast<int64_t>(elements.kind().pitch);
    view.ndims = static_cast<int64_t>(elements.space().ndims());
    for (size_t d = 0; d < elements.space().ndims(); ++d) {
        view.range[d] = {elements.space().ranges()[d].first, 1, 0};
        view.step[d] = 1;
    }
    return view;
}

DRI_View view_of(const Elements &elements, const Ranges &dense, const Ranges &ranges, bool with_overlap) {
    const Holding &own = elements.body().holding();
    DRI_View view = empty_view(elements);
    const Dims first = firsts_of(dense);
    const int64_t place = own.own_place(first);
    const Dims steps = own.steps(0);
    view.data = elements.body().memory->data() + place * static_cast<int64_t>(elements.kind().pitch);
    view.boxes = own.num_boxes();
    for (size_t d = 0; d < dense.size(); ++d) {
        view.range[d] = ranges[d];
        view.step[d] = own.is_product() ? steps[d] : 1;
        if (dense[d].size > 1)
            view.step[d] = own.step_of(first, d, dense[d].stride);
        if (with_overlap && own.is_product()) {
            view.left[d] = own.rims()[d].left;
            view.right[d] = own.rims()[d].right;
        }
    }
    return view;
}

} // namespace dri::domain
