// Two steps: the lengths, then the bytes. A failure travels in place of the bytes.
#include "graph/exchange.hpp"

#include "base/failures.hpp"
#include "graph/tags.hpp"
#include "outer/calls.hpp"

#include <dri/dist.h>
#include <dri/env.h>
#include <dri/xfer.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace dri::graph {

namespace {

Bytes brought_or_failure(const std::function<Bytes()> &bring) {
    const QuietFailures quiet; // a failure is reported by the call that all make together
    Writer out;
    try {
        const Bytes mine = bring();
        out.put(DRI_SUCCESS).put(std::span<const std::byte>(mine));
        return out.take();
    } catch (const outer::AlreadyReported &failed) {
        out.put(static_cast<DRI_Code>(failed.code)).put(std::string_view(DRI_error_message()));
    } catch (...) {
        const Error error = current_error();
        out.put(error.code()).put(std::string_view(error.what()));
    }
    return out.take();
}

} // namespace

outer::Partners partners_of(DRI_Group group) {
    outer::require_library();
    int size = 0, position = -1, rank = -1;
    outer::require(DRI_group_get_size(group, &size, &position));
    outer::require(DRI_world_rank(&rank));
    if (position < 0)
        fail(DRI_ERR_ARG, "process {} is not in the group", rank);
    outer::Partners found{group, std::vector<int>(static_cast<size_t>(size))};
    outer::require(DRI_group_get_ranks(group, found.ranks.data()));
    return found;
}

std::vector<Bytes> exchange(const outer::Partners &scope, const std::function<Bytes()> &bring) {
    const Bytes mine = brought_or_failure(bring);
    const size_t n = scope.ranks.size();
    const auto own = static_cast<int64_t>(mine.size());
    std::vector<int64_t> sizes(n), lengths(n);
    outer::require(DRI_group_gather(scope.group, DRI_SUCCESS, &own, sizeof own, lengths.data(), sizes.data(),
                                    static_cast<int64_t>(n * sizeof own)));
    Bytes all(static_cast<size_t>(std::accumulate(sizes.begin(), sizes.end(), int64_t{0})));
    outer::require(DRI_group_gather(scope.group, DRI_SUCCESS, mine.data(), own, lengths.data(), all.data(),
                                    static_cast<int64_t>(all.size())));
    std::vector<Bytes> brought;
    size_t at = 0;
    for (size_t q = 0; q < n; at += static_cast<size_t>(sizes[q++])) {
        Reader in({all.data() + at, static_cast<size_t>(sizes[q])});
        if (const auto code = in.get<DRI_Code>(); code != DRI_SUCCESS)
            fail(code, "process {}: {}", scope.ranks[q], in.get_string());
        brought.push_back(in.get_bytes());
    }
    return brought;
}

std::string checked_name(const char *text, const char *what) {
    outer::require_pointer(text, what);
    const size_t length = strnlen(text, DRI_MAX_NAME + 1);
    if (length < 1 || length > DRI_MAX_NAME)
        fail(DRI_ERR_ARG, "{} has {}{} bytes, but must have 1 to {}", what,
             length > DRI_MAX_NAME ? "more than " : "", std::min(length, size_t{DRI_MAX_NAME}), int{DRI_MAX_NAME});
    return std::string(text, length);
}

} // namespace dri::graph
