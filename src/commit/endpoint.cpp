// An endpoint's checks at its declaration, its states, and its explain text.
#include "commit/endpoint.hpp"

#include "base/checked.hpp"
#include "base/printable.hpp"
#include "planner/side.hpp"

#include <algorithm>

namespace dri::commit {

namespace {

// Sorted by address, only neighbours can overlap: the check costs O(n log n) for n buffers, not O(n * n).
void check_buffers(const std::vector<void *> &buffers, int64_t bytes, int64_t alignment) {
    for (size_t i = 0; i < buffers.size(); ++i) {
        const auto at = reinterpret_cast<uintptr_t>(buffers[i]);
        if (at % static_cast<uintptr_t>(alignment) != 0)
            fail(DRI_ERR_ARG, "buffs[{}] is not aligned to the {} bytes of the element type", i, alignment);
    }
    if (bytes == 0)
        return;
    std::vector<std::pair<uintptr_t, size_t>> sorted; // address, index
    for (size_t i = 0; i < buffers.size(); ++i)
        if (buffers[i])
            sorted.emplace_back(reinterpret_cast<uintptr_t>(buffers[i]), i);
    std::sort(sorted.begin(), sorted.end());
    const auto shared = std::adjacent_find(sorted.begin(), sorted.end(), [&](const auto &a, const auto &b) {
        return b.first - a.first < static_cast<uint64_t>(bytes);
    });
    if (shared == sorted.end())
        return;
    const auto [first, second] = std::minmax(shared->second, std::next(shared)->second);
    fail(DRI_ERR_ARG, "buffs[{}] and buffs[{}] share memory: each is {} bytes long", first, second, bytes);
}

} // namespace

Endpoint::Endpoint(Declaration declaration, int rank, int64_t ways, bool mapped)
    : declaration_(std::move(declaration)), ways_(ways), mapped_(mapped) {
    const model::Distribution &dist = *declaration_.dist;
    const auto position = dist.group().position(rank);
    if (!position)
        fail(DRI_ERR_ARG, "process {} is not in the distribution's group {}", rank, model::to_text(dist.group()));
    const model::ElementType &type = dist.gdo().type;
    buffer_bytes_ = model::strip_bytes(declaration_.dist, declaration_.strips, declaration_.layout, *position);
    static_cast<void>(reserved_bytes()); // fails if the number of bytes overflows
    check_buffers(declaration_.buffers, buffer_bytes_, type.alignment);
}

int64_t Endpoint::strips_together() const {
    return declaration_.role == Role::sink ? model::count_strips(declaration_.strips, *declaration_.dist) : 1;
}

int64_t Endpoint::reserved_bytes() const {
    const int64_t together = strips_together();
    if (together == 1)
        return buffer_bytes_;
    return checked_mul(model::strip_step(buffer_bytes_, declaration_.dist->gdo().type), together);
}

std::shared_ptr<const model::Distribution> Endpoint::strip(int64_t k) const {
    const int64_t n = model::count_strips(declaration_.strips, *declaration_.dist);
    if (k < 0 || k >= n)
        fail(DRI_ERR_ARG, "strip is {}, but the {} of transfer '{}' has strips 0 to {}", k,
             role_name(declaration_.role), declaration_.name, n - 1);
    return model::strip_of(declaration_.dist, declaration_.strips, k);
}

void Endpoint::set_attributes(const Attributes &attributes) {
    if (committed())
        fail(DRI_ERR_STATE, "transfer '{}' is committed", declaration_.name);
    declaration_.attributes = attributes;
}

// DRI_WAYS may differ between processes, so it takes effect as an attribute: matching combines it with all others.
// So does the user's memory of a transfer in place: between two buffers, what pullers cannot map is copied, but in
// place a copy costs more than messages of what moves.
Attributes Endpoint::attributes() const {
    Attributes attributes = declaration_.attributes;
    attributes.ways &= ways_;
    if (attributes.in_place != DRI_OUT_OF_PLACE && !mapped_)
        attributes.ways &= ~int64_t{way_direct};
    return attributes;
}

// The release store comes last: a thread that sees committed() true also sees all that is set here.
void Endpoint::attach(Commitment commitment, std::shared_ptr<exec::ProgressThread> thread) {
    commitment_ = std::move(commitment);
    thread_ = std::move(thread);
    committed_.store(true, std::memory_order_release);
}

void Endpoint::fail_uncommitted() const {
    fail(DRI_ERR_STATE, "transfer '{}' is not committed yet", declaration_.name);
}

const exec::EndpointState &Endpoint::state() const {
    if (declaration_.role == Role::source)
        return transfer()->source();
    return transfer()->sink(commitment_.flow);
}

exec::Progress Endpoint::progress() const {
    return declaration_.role == Role::source ? transfer()->source_progress()
                                             : transfer()->sink_progress(commitment_.flow);
}

int64_t Endpoint::current_frame() const {
    if (!committed())
        fail_uncommitted();
    if (const auto frame = frame_in_hand(*this))
        return *frame;
    if (declaration_.role == Role::sink)
        fail(DRI_ERR_STATE, "no frame of transfer '{}' has arrived yet", declaration_.name);
    fail(DRI_ERR_STATE, "the source of transfer '{}' holds no buffer: all acquired buffers have been inserted",
         declaration_.name);
}

std::optional<int64_t> frame_in_hand(const Endpoint &endpoint) {
    if (!endpoint.committed())
        return std::nullopt;
    const exec::Progress done = endpoint.progress();
    if (endpoint.declaration().role == Role::source)
        return done.frames == done.acquired ? std::nullopt : std::optional(done.frames);
    return done.frames == 0 ? std::nullopt : std::optional(done.frames - 1);
}

void Endpoint::set_timeout(int64_t ms) {
    transfer()->set_timeout(endpoints(Moves::endpoint), std::chrono::milliseconds(ms));
}

void Endpoint::rebase(const int64_t *offset) {
    const std::span numbers(offset, declaration_.dist->ndims());
    transfer()->rebase(endpoints(Moves::endpoint), numbers);
}

// Exactly one thread destroys the endpoint; concurrent and later callers get DRI_ERR_STATE. If it fails, such as
// after a timeout, the endpoint still exists and the next caller may try again. A sink fails once, with what no
// call has reported yet.
void Endpoint::destroy(transport::Deadline until, exec::Parting parting) {
    if (!committed())
        return;
    Life before = Life::there;
    if (!life_.compare_exchange_strong(before, Life::going, std::memory_order_acquire))
        fail(DRI_ERR_STATE, "another thread destroys or has destroyed the {} of transfer '{}'",
             role_name(declaration_.role), declaration_.name);
    const auto leave = [&](exec::Parting how) {
        if (declaration_.role == Role::source)
            commitment_.transfer->destroy_source(until, how);
        else
            commitment_.transfer->destroy_sink(commitment_.flow);
    };
    try {
        try {
            leave(exec::Parting::waits);
        } catch (const Error &) {
            if (parting != exec::Parting::takes_back)
                throw;
            leave(exec::Parting::takes_back);
        }
    } catch (...) {
        life_.store(Life::there, std::memory_order_release);
        throw;
    }
    life_.store(Life::gone, std::memory_order_release);
    let_thread_go();
}

// The last endpoint to release the progress thread also joins it. That happens outside the lock, when `last` goes
// out of scope.
void Endpoint::let_thread_go() {
    std::shared_ptr<exec::ProgressThread> last;
    const std::lock_guard lock(thread_mutex_);
    last.swap(thread_);
}

std::string Endpoint::explain() const {
    const exec::LocalTransfer &t = *transfer();
    const bool source = declaration_.role == Role::source;
    const int64_t threads = declaration_.attributes.threads;
    const model::Strips &strips = declaration_.strips;
    std::string text = fmt::format("transfer '{}', {}: {}{}, {}, {} buffer{} of {} bytes{}{}{}\n",
                                   printable(declaration_.name), role_name(declaration_.role),
                                   strips.any() ? model::to_text(strips, *declaration_.dist) + ", the first " : "",
                                   model::to_text(*declaration_.dist), model::to_text(declaration_.layout),
                                   state().buffers.size(), state().buffers.size() == 1 ? "" : "s", buffer_bytes_,
                                   threads > 1 ? fmt::format(", {} threads", threads) : "",
                                   declaration_.attributes.progress_thread ? ", a progress thread" : "",
                                   declaration_.companion             ? ", a halo exchange"
                                   : declaration_.attributes.in_place ? ", in place"
                                                                      : "");
    if (const auto &window = state().window)
        text += fmt::format("  window slides from {} to {}\n", exec::offset_text(window->lowest),
                            exec::offset_text(window->highest));
    if (!source)
        return text + t.flows()[commitment_.flow].link.explain(exec::Of::sink);
    for (const exec::Flow &flow : t.flows())
        text += flow.link.explain(exec::Of::source);
    return text;
}

} // namespace dri::commit
