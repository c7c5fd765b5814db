// Small frames: some bytes of each process travel to all others of a group, again and again.
#pragma once

#include "array/exchange.hpp"
#include "array/one_thread.hpp"
#include "outer/any_array.hpp"
#include "outer/owned.hpp"

#include <array>
#include <cstring>
#include <memory>

namespace dri::array {

// A call that exchanges. It may go on after a timeout as long as its array has this storage, or its object exists.
struct FrameCall {
    Digest what; // equal for the same call
    std::weak_ptr<const outer::AnyArray> array;
    uint64_t storage = 0;
    std::weak_ptr<const void> object; // in place of the array
    bool has_object = false;

    bool can_go_on() const;
};

class SmallFrame {
public:
    static constexpr int64_t most_bytes = 192;

    // Gives all what this process brings, and waits for what the others bring. After DRI_ERR_TIMEOUT the same call
    // may be repeated. Another one fails with DRI_ERR_STATE as long as that one can go on. Then it ends the
    // exchange that is under way first. Collective over the group.
    void exchange(std::span<const std::byte> mine, const FrameCall &call);
    // Whether this call has timed out, and is to go on. Fails as exchange().
    bool goes_on(const FrameCall &call);
    // What a process has brought, by position.
    const std::byte *from(int position) const { return all_ + position * most_bytes; }
    // How long exchanges wait from now on.
    void set_timeout(std::optional<int64_t> timeout_ms) { change_timeout(ends_, timeout_ms_, timeout_ms); }
    int processes() const { return static_cast<int>(ranks_.size()); }
    int rank(int position) const { return ranks_[static_cast<size_t>(position)]; } // of the world

    // operation: a public call, which messages name. Collective over the group.
    SmallFrame(const std::vector<int> &ranks, const char *operation, std::optional<int64_t> timeout_ms);

private:
    void wait();

    std::string name_;
    std::vector<int> ranks_;
    std::array<outer::OwnedXfer, 2> ends_; // source, sink
    std::optional<int64_t> timeout_ms_;
    void *mine_ = nullptr;
    const std::byte *all_ = nullptr;
    bool under_way_ = false; // after a timeout
    FrameCall call_;         // the one under way
};

// The small frame of a group and a public call. One thread uses it at a time.
class SharedFrame {
public:
    // Found or made. Local.
    static SharedFrame &of(const std::vector<int> &ranks, const char *operation);

    class Use {
    public:
        // It waits that long. Fails with DRI_ERR_STATE at once while another thread uses it. Collective over the
        // group the first time.
        Use(SharedFrame &of, std::optional<int64_t> timeout_ms);
        SmallFrame &operator*() const { return *shared_.frame_; }
        SmallFrame *operator->() const { return shared_.frame_.get(); }

    private:
        SharedFrame &shared_;
        OneThread::Use use_;
    };

    SharedFrame(const std::vector<int> &ranks, const char *operation)
        : ranks_(ranks), operation_(operation), what_(operation_ + " over the same processes") {}

private:
    std::vector<int> ranks_;
    std::string operation_, what_;
    OneThread user_;
    std::unique_ptr<SmallFrame> frame_;
};

} // namespace dri::array
