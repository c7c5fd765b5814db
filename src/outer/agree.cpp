// Exchanges codes, messages and digests, so that nobody goes on alone.
#include "outer/agree.hpp"

#include "base/failures.hpp"
#include "outer/calls.hpp"

#include <dri/dist.h>
#include <dri/env.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace dri::outer {

namespace {

constexpr size_t most_bytes_of_a_message = 600;

struct Verdict {
    DRI_Code code;
    std::string message;
};

// A failure is reported by the call that all make together.
Verdict verdict_of(const std::function<void()> &steps) {
    const QuietFailures quiet;
    try {
        steps();
        return {DRI_SUCCESS, {}};
    } catch (const AlreadyReported &failed) {
        return {static_cast<DRI_Code>(failed.code), DRI_error_message()};
    } catch (...) {
        const Error error = current_error();
        return {error.code(), error.what()};
    }
}

// How many transfers these processes have named, as far as this one knows.
class Names {
public:
    int64_t used(const std::vector<int> &ranks) {
        const std::lock_guard lock(mutex_);
        return used_[ranks];
    }
    std::string take(const std::vector<int> &ranks, int64_t number) {
        const std::lock_guard lock(mutex_);
        used_[ranks] = std::max(used_[ranks], number + 1);
        return fmt::format("dri:{:016x}:{}", digest(std::as_bytes(std::span(ranks))).low, number);
    }

private:
    std::mutex mutex_;
    std::map<std::vector<int>, int64_t> used_;
};

// Never destroyed: other static objects may end later.
Names &names() {
    static auto *const all = new Names;
    return *all;
}

} // namespace

std::vector<int> ranks_of(DRI_Group group) {
    int n = 0;
    require(DRI_group_get_size(group, &n, nullptr));
    std::vector<int> ranks(static_cast<size_t>(n));
    require(DRI_group_get_ranks(group, ranks.data()));
    return ranks;
}

std::string agree(const Partners &scope, const Digest &called_with, const char *what,
                  const std::function<void()> &steps) {
    Verdict mine = verdict_of(steps);
    mine.message.resize(std::min(mine.message.size(), most_bytes_of_a_message));
    Writer out;
    out.put(mine.code).put(mine.message).put(names().used(scope.ranks));
    put(out, called_with);
    const Bytes own = out.take();
    const size_t n = scope.ranks.size(), most = most_bytes_of_a_message + 64;
    std::vector<int64_t> sizes(n);
    Bytes all(n * most);
    require(DRI_group_gather(scope.group, DRI_SUCCESS, own.data(), static_cast<int64_t>(own.size()), sizes.data(),
                             all.data(), static_cast<int64_t>(all.size())));
    std::vector<Digest> digests;
    int64_t number = 0;
    size_t at = 0;
    for (size_t q = 0; q < n; at += static_cast<size_t>(sizes[q++])) {
        Reader in({all.data() + at, static_cast<size_t>(sizes[q])});
        const auto code = in.get<DRI_Code>();
        const std::string message = in.get_string();
        if (code != DRI_SUCCESS)
            fail(code, "process {}: {}", scope.ranks[q], message);
        number = std::max(number, in.get<int64_t>());
        digests.push_back(get_digest(in));
    }
    const auto other = std::find_if(digests.begin(), digests.end(),
                                    [&](const Digest &theirs) { return !(theirs == digests.front()); });
    if (other != digests.end())
        fail(DRI_ERR_MISMATCH, "processes {} and {} disagree about {}", scope.ranks.front(),
             scope.ranks[static_cast<size_t>(other - digests.begin())], what);
    return names().take(scope.ranks, number);
}

} // namespace dri::outer
