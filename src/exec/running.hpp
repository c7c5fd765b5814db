// The committed transfers of a process, for whoever has time to move them on.
#pragma once

#include "exec/transfer.hpp"

#include <mutex>

namespace dri {

// May be used by any threads at once, but for one that makes room and adds at a time. Nothing here waits for a
// frame, and nothing but changes of the list allocates.
class Running {
public:
    using List = std::vector<std::shared_ptr<LocalTransfer>>;
    // What a list with so many more takes, so that to add them cannot fail.
    std::shared_ptr<List> reserve_list(size_t more) const;
    // transfers: as many as there is room for, or fewer.
    void add(std::span<const std::shared_ptr<LocalTransfer>> transfers, std::shared_ptr<List> reserved) noexcept;
    // Without memory for a shorter list the transfer stays: one without ends has no steps.
    void remove(const std::shared_ptr<LocalTransfer> &transfer) noexcept;
    void clear() noexcept;

    // Of each transfer that no thread is using: all steps that can be taken now, or one of them; whether there was
    // one.
    bool progress() const noexcept;
    bool step() const noexcept;
    PollResult poll_one() const noexcept; // a step of each, and what there is to see of all

private:
    std::shared_ptr<const List> list() const noexcept;
    void set(std::shared_ptr<const List> list) noexcept;

    std::mutex changing_; // taken before the other one
    mutable std::mutex mutex_;
    std::shared_ptr<const List> list_; // null: empty
};

} // namespace dri
