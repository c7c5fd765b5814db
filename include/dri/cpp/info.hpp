// What endpoints have done, memory before the commit, and wisdom.
#pragma once

#include <dri/cpp/group.hpp>
#include <dri/cpp/indexed.hpp>
#include <dri/info.h>
#include <dri/stream.h>
#include <dri/wisdom.h>
#include <dri/xfer.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace dri {
inline namespace v1 {
namespace detail {

inline DRI_Xfer_info info_of(DRI_Xfer xfer) {
    DRI_Xfer_info info;
    check(DRI_xfer_get_info(xfer, &info));
    return info;
}

inline std::vector<DRI_Peer> peers_of(DRI_Xfer xfer) {
    int n = 0;
    check(DRI_xfer_get_peers(xfer, 0, nullptr, &n));
    std::vector<DRI_Peer> peers(static_cast<std::size_t>(n));
    check(DRI_xfer_get_peers(xfer, n, peers.data(), &n));
    return peers;
}

inline std::vector<DRI_Frame_times> times_of(DRI_Xfer xfer) {
    int n = 0;
    std::vector<DRI_Frame_times> times(DRI_MAX_TIMES);
    check(DRI_xfer_get_times(xfer, DRI_MAX_TIMES, times.data(), &n));
    times.resize(static_cast<std::size_t>(n));
    return times;
}

inline std::string plan_of(DRI_Xfer xfer) {
    return whole_text([xfer](char *text, std::size_t n) { return DRI_xfer_explain(xfer, text, n); });
}

} // namespace detail

// Matches, checks and plans all endpoints that the calling processes have declared since the last commit, and
// reserves what their frames need. Collective over the group; synchronising. Processes without any endpoint call
// it, too. See DRI_commit.
inline void commit(const Group &group = world()) { detail::check(DRI_commit(group.handle())); }

// The same for these endpoints alone: others stay declared. Each process of the group passes its own, or none. An
// empty one counts as none. See DRI_commit_ends.
template <class First, class... Ends> void commit(const Group &group, const First &first, const Ends &...ends) {
    const std::array<DRI_Xfer, sizeof...(Ends) + 1> handles{first.handle(), ends.handle()...};
    std::array<DRI_Xfer, sizeof...(Ends) + 1> held{};
    const auto end =
        std::copy_if(handles.begin(), handles.end(), held.begin(), [](DRI_Xfer x) { return x.id != 0; });
    detail::check(DRI_commit_ends(group.handle(), static_cast<int>(end - held.begin()), held.data()));
}

// The memory that endpoints will use, before the commit reserves it. Collective over the group; synchronising. An
// empty endpoint uses none. See DRI_xfer_query.
template <class... Ends> std::array<DRI_Memory, sizeof...(Ends)> query(const Group &group, const Ends &...ends) {
    std::array<DRI_Memory, sizeof...(Ends)> memory{}, found{};
    const std::array<DRI_Xfer, sizeof...(Ends)> handles{ends.handle()...};
    std::array<DRI_Xfer, sizeof...(Ends)> held{};
    std::size_t n = 0;
    for (const DRI_Xfer handle : handles)
        if (handle.id != 0)
            held[n++] = handle;
    detail::check(
        DRI_xfer_query(group.handle(), static_cast<int>(n), detail::pointer(held), detail::pointer(found)));
    n = 0;
    for (std::size_t i = 0; i < handles.size(); ++i)
        if (handles[i].id != 0)
            memory[i] = found[n++];
    return memory;
}

// All that the calling process has learnt and imported about kernels, as text. Local.
inline std::string wisdom() {
    std::size_t needed = 0;
    detail::check(DRI_wisdom_export(nullptr, 0, &needed));
    std::string text(needed, '\0');
    detail::check(DRI_wisdom_export(text.data(), text.size(), nullptr));
    text.pop_back();
    return text;
}

// Adds such a text to what the calling process knows. Local.
inline void wisdom(std::string_view text) { detail::check(DRI_wisdom_import(std::string(text).c_str())); }

} // namespace v1
} // namespace dri
