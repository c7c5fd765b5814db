// Small frames: some bytes of each process travel to all others of a group, again and again.
#pragma once

#include "array/exchange.hpp"
#include "outer/owned.hpp"

#include <array>
#include <cstring>
#include <functional>

namespace dri::array {

class SmallFrame {
public:
    static constexpr int64_t most_bytes = 192;

    // The one of a group and a public call, which messages name. It waits that long from now on. Collective over
    // the group the first time.
    static SmallFrame &of(const std::vector<int> &ranks, const char *operation, std::optional<int64_t> timeout_ms);

    // Gives all what this process brings, and waits for what the others bring. After DRI_ERR_TIMEOUT the same call
    // may be repeated. Collective over the group.
    void exchange(std::span<const std::byte> mine);
    // What a process has brought, by position.
    const std::byte *from(int position) const { return all_ + position * most_bytes; }
    // How long exchanges wait from now on.
    void set_timeout(std::optional<int64_t> timeout_ms) { change_timeout(ends_, timeout_ms_, timeout_ms); }
    bool is_under_way() const { return under_way_; } // after a timeout
    int processes() const { return static_cast<int>(ranks_.size()); }
    int rank(int position) const { return ranks_[static_cast<size_t>(position)]; } // of the world

    SmallFrame(const std::vector<int> &ranks, const char *operation, std::optional<int64_t> timeout_ms);

private:
    std::string name_;
    std::vector<int> ranks_;
    std::array<outer::OwnedXfer, 2> ends_; // source, sink
    std::optional<int64_t> timeout_ms_;
    const std::byte *all_ = nullptr;
    bool under_way_ = false;
};

} // namespace dri::array
