// A transfer whose sink is the whole array on every process.
#include "array/small_frame.hpp"

#include "array/exchange.hpp"
#include "base/at_end.hpp"
#include "outer/agree.hpp"

#include <dri/env.h>
#include <dri/stream.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace dri::array {

namespace {

// Names are compared where they are, so that a frame is found without an allocation.
struct Scope {
    std::vector<int> ranks;
    std::string operation;
};
struct ScopeView {
    const std::vector<int> &ranks;
    std::string_view operation;
};
struct ScopeLess {
    using is_transparent = void;
    template <class A, class B> bool operator()(const A &a, const B &b) const {
        const int order = std::string_view(a.operation).compare(b.operation);
        return order != 0 ? order < 0 : a.ranks < b.ranks;
    }
};

struct SharedFrames {
    std::mutex mutex;
    std::map<Scope, std::unique_ptr<SharedFrame>, ScopeLess> by_group;
};

SharedFrames &shared_frames() {
    static auto *const all = [] {
        auto *const made = new SharedFrames;
        at_end([] { shared_frames().by_group.clear(); });
        return made;
    }();
    return *all;
}

} // namespace

SharedFrame &SharedFrame::of(const std::vector<int> &ranks, const char *operation) {
    SharedFrames &frames = shared_frames();
    const std::lock_guard lock(frames.mutex);
    if (const auto found = frames.by_group.find(ScopeView{ranks, operation}); found != frames.by_group.end())
        return *found->second;
    return *(frames.by_group[{ranks, operation}] = std::make_unique<SharedFrame>(ranks, operation));
}

SharedFrame::Use::Use(SharedFrame &of, std::optional<int64_t> timeout_ms) : shared_(of), use_(of.user_, of.what_) {
    if (of.frame_)
        of.frame_->set_timeout(timeout_ms);
    else
        of.frame_ = std::make_unique<SmallFrame>(of.ranks_, of.operation_.c_str(), timeout_ms);
}

SmallFrame::SmallFrame(const std::vector<int> &ranks, const char *operation, std::optional<int64_t> timeout_ms)
    : ranks_(ranks), timeout_ms_(timeout_ms) {
    outer::OwnedGroup group;
    outer::require(DRI_group_create(processes(), ranks.data(), group.out()));
    const outer::Partners scope{group.get(), ranks};
    const Digest same{};
    outer::OwnedGdo gdo;
    int position = 0;
    const int64_t sizes[2]{processes(), most_bytes};
    name_ = fmt::format("{}:{}", operation, outer::agree(scope, same, "a small frame", [&] {
                            outer::require(DRI_group_get_size(group.get(), nullptr, &position));
                            outer::require(DRI_gdo_create(2, DRI_UINT8, sizes, gdo.out()));
                        }));
    const DRI_Box own{{position, 0}, {1, most_bytes}}, all{{0, 0}, {processes(), most_bytes}};
    const outer::OwnedDist from = exact_dist(gdo.get(), 2, own, group.get());
    const outer::OwnedDist to = exact_dist(gdo.get(), 2, all, group.get());
    outer::agree(scope, same, "a small frame", [&] {
        const int64_t steps[2]{most_bytes, 1};
        ends_[0] = make_end(name_, DRI_SOURCE, from.get(), 2, {own, nullptr, steps}, timeout_ms);
        ends_[1] = make_end(name_, DRI_SINK, to.get(), 2, {all, nullptr, steps}, timeout_ms);
    });
    const DRI_Xfer ends[]{ends_[0].get(), ends_[1].get()};
    outer::require(DRI_commit_ends(group.get(), 2, ends));
    outer::require(DRI_xfer_get_buffer(ends_[0].get(), &mine_)); // each end has one buffer, which stays
}

bool FrameCall::can_go_on() const {
    if (has_object)
        return !object.expired();
    const auto known = array.lock();
    return known && known->storage()->id == storage;
}

bool SmallFrame::goes_on(const FrameCall &call) {
    if (!under_way_ || call.what == call_.what)
        return under_way_;
    if (call_.can_go_on())
        fail(DRI_ERR_STATE, "another call of {} has timed out, and must go on first",
             name_.substr(0, name_.find(':')));
    wait(); // the other processes have what this one has brought
    return false;
}

void SmallFrame::wait() {
    const int code = DRI_wait(name_.c_str(), DRI_XFER_NULL);
    under_way_ = code == DRI_ERR_TIMEOUT;
    outer::require(code);
}

void SmallFrame::exchange(std::span<const std::byte> mine, const FrameCall &call) {
    if (!goes_on(call)) {
        std::memset(mine_, 0, most_bytes);
        std::memcpy(mine_, mine.data(), std::min(mine.size(), static_cast<size_t>(most_bytes)));
        outer::require(DRI_start(name_.c_str(), DRI_XFER_NULL));
        call_ = call;
        under_way_ = true;
    }
    wait();
    if (all_)
        return;
    void *theirs = nullptr;
    outer::require(DRI_xfer_get_buffer(ends_[1].get(), &theirs));
    all_ = static_cast<const std::byte *>(theirs);
}

} // namespace dri::array
