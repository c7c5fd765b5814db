// A list that readers copy by pointer: changes replace the whole list and never wait for a reader's steps.
#include "exec/running.hpp"

#include "transport/transport.hpp"

namespace dri::exec {

std::shared_ptr<const Running::List> Running::list() const noexcept {
    const std::lock_guard lock(mutex_);
    return list_;
}

// Transfers that only the old list holds are destroyed after the lock is released.
void Running::set(std::shared_ptr<const List> list) noexcept {
    const std::lock_guard lock(mutex_);
    list_.swap(list);
}

std::shared_ptr<Running::List> Running::reserve_list(size_t more) const {
    const auto before = list();
    auto reserved = std::make_shared<List>();
    reserved->reserve((before ? before->size() : 0) + more);
    return reserved;
}

// Cannot fail: reserve_list() has provided the memory.
void Running::add(std::span<const std::shared_ptr<LocalTransfer>> transfers,
                  std::shared_ptr<List> reserved) noexcept {
    const std::lock_guard lock(changing_);
    if (const auto before = list())
        reserved->assign(before->begin(), before->end());
    reserved->insert(reserved->end(), transfers.begin(), transfers.end());
    set(std::move(reserved));
}

void Running::remove(const std::shared_ptr<LocalTransfer> &transfer) noexcept {
    const std::lock_guard lock(changing_);
    const auto before = list();
    if (!before)
        return;
    try {
        auto after = std::make_shared<List>(*before);
        std::erase(*after, transfer);
        set(std::move(after));
    } catch (const std::bad_alloc &) {
    }
}

void Running::clear() noexcept {
    const std::lock_guard lock(changing_);
    set(nullptr);
}

bool Running::progress() const noexcept {
    bool any = false;
    if (const auto running = list())
        for (const auto &transfer : *running)
            any = transfer->progress() || any;
    return any;
}

void Running::progress_all(transport::Transport &transport) {
    if (!transport.crowded() || !transport.yields()) {
        progress();
        return transport.progress();
    }
    const ProgressPace::Call call(pace_); // before the steps, which take time
    progress();
    if (call.is_due())
        transport.progress();
}

PollResult Running::poll_all() const noexcept {
    PollResult seen;
    if (const auto running = list())
        for (const auto &transfer : *running)
            seen.add(transfer->poll_step());
    return seen;
}

bool Running::step() const noexcept {
    bool any = false;
    if (const auto running = list())
        for (const auto &transfer : *running)
            any = transfer->step() || any;
    return any;
}

} // namespace dri::exec
