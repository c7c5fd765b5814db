// Memory of the elements that Array::gather() returns, which stays in use after a timeout. Array has it; programs
// do not name it.
#pragma once

#include <dri/cpp/error.hpp>
#include <dri/cpp/ranges.hpp>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace dri {
inline namespace v1 {
namespace detail {

template <class T, std::size_t N> class Gatherings {
public:
    Gatherings() = default;
    // Assignment exchanges, because transfers may still write to what was here.
    Gatherings(Gatherings &&other) noexcept : pending_(std::move(other.pending_)) {}
    Gatherings &operator=(Gatherings &&other) noexcept {
        std::swap(pending_, other.pending_);
        return *this;
    }
    Gatherings(const Gatherings &) = delete;
    Gatherings &operator=(const Gatherings &) = delete;
    ~Gatherings() = default;

    // What `call` writes to n elements. After a timeout they are kept, and the same call goes on with them.
    template <class Call> std::vector<T> run(const Ranges<N> &some, int root, std::size_t n, const Call &call) {
        pending_.reserve(pending_.size() + 1);
        const auto at = std::find_if(pending_.begin(), pending_.end(),
                                     [&](const Pending &one) { return one.some == some && one.root == root; });
        std::vector<T> found;
        if (at == pending_.end()) {
            found.resize(n);
        } else {
            found = std::move(at->elements);
            pending_.erase(at);
        }
        try {
            call(std::span<T>(found));
        } catch (const Timeout &) {
            pending_.push_back({some, root, std::move(found)});
            throw;
        }
        return found;
    }

private:
    struct Pending {
        Ranges<N> some;
        int root;
        std::vector<T> elements;
    };
    std::vector<Pending> pending_;
};

} // namespace detail
} // namespace v1
} // namespace dri
