// The committed transfers of a process. Whichever thread has time moves them on.
#pragma once

#include "exec/progress_pace.hpp"
#include "exec/transfer.hpp"
#include "transport/transport.hpp"

#include <mutex>

namespace dri::exec {

// Any threads may use it at the same time. Exception: only one at a time may reserve a list and add to it. No
// function waits for a frame. Only changes of the list allocate.
class Running {
public:
    using List = std::vector<std::shared_ptr<LocalTransfer>>;
    // Memory for a list with `more` further transfers. add() then cannot fail.
    std::shared_ptr<List> reserve_list(size_t more) const;
    // transfers: at most as many as were reserved.
    void add(std::span<const std::shared_ptr<LocalTransfer>> transfers, std::shared_ptr<List> reserved) noexcept;
    // If there is no memory for a shorter list, the transfer stays in it. That is harmless: a transfer without
    // endpoints has no steps.
    void remove(const std::shared_ptr<LocalTransfer> &transfer) noexcept;
    void clear() noexcept;

    // Both step each transfer that no thread uses and return whether there was a step. progress() takes all steps
    // that are possible now, step() at most one per transfer.
    bool progress() const noexcept;
    bool step() const noexcept;
    // progress(), and then the transport's own, which a caller that computes in between need not pay each time.
    void progress_all(transport::Transport &transport);
    PollResult poll_all() const noexcept; // one step of each transfer, and what else was found

private:
    std::shared_ptr<const List> list() const noexcept;
    void set(std::shared_ptr<const List> list) noexcept;

    std::mutex changing_; // locked before mutex_
    mutable std::mutex mutex_;
    std::shared_ptr<const List> list_; // null: empty
    ProgressPace pace_;
};

} // namespace dri::exec
