#include "exec/running.hpp"

namespace dri {

std::shared_ptr<const Running::List> Running::list() const noexcept {
    const std::lock_guard lock(mutex_);
    return list_;
}

// What may go with the old list goes after the lock.
void Running::set(std::shared_ptr<const List> list) noexcept {
    const std::lock_guard lock(mutex_);
    list_.swap(list);
}

std::shared_ptr<Running::List> Running::room_for(size_t more) const {
    const auto before = list();
    auto room = std::make_shared<List>();
    room->reserve((before ? before->size() : 0) + more);
    return room;
}

void Running::add(std::span<const std::shared_ptr<Transfer>> transfers, std::shared_ptr<List> room) noexcept {
    const std::lock_guard lock(changing_);
    if (const auto before = list())
        room->assign(before->begin(), before->end());
    room->insert(room->end(), transfers.begin(), transfers.end());
    set(std::move(room));
}

void Running::remove(const std::shared_ptr<Transfer> &transfer) noexcept {
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

Helped Running::tend() const noexcept {
    Helped seen;
    if (const auto running = list())
        for (const auto &transfer : *running)
            seen.add(transfer->tend());
    return seen;
}

bool Running::step() const noexcept {
    bool any = false;
    if (const auto running = list())
        for (const auto &transfer : *running)
            any = transfer->step() || any;
    return any;
}

} // namespace dri
