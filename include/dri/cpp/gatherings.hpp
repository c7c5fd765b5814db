// Memory of the elements that Array::gather() returns, which stays in use after a timeout. Array has it; programs
// do not name it.
#pragma once

#include <dri/cpp/error.hpp>
#include <dri/cpp/ranges.hpp>

#include <algorithm>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace dri {
inline namespace v1 {
namespace detail {

// Elements whose alias is gone, while the library still writes to them. They stay until a call goes on with them.
template <class T> class LeftElements {
public:
    static LeftElements &all() {
        static auto *const left = new LeftElements; // never destroyed: arrays may end later
        return *left;
    }
    void add(std::vector<T> &&elements) {
        const std::lock_guard lock(mutex_);
        left_.push_back(std::move(elements));
    }
    // Calls `call` with each that has n elements until one succeeds or waits again. Returns whether one did.
    template <class Call> bool go_on(std::size_t n, std::vector<T> &found, const Call &call) {
        for (std::size_t i = 0;; ++i) {
            std::vector<T> one;
            {
                const std::lock_guard lock(mutex_);
                while (i < left_.size() && left_[i].size() != n)
                    ++i;
                if (i >= left_.size())
                    return false;
                one.swap(left_[i]); // an empty one stays in its place
            }
            try {
                call(std::span<T>(one));
                found = std::move(one);
                return true;
            } catch (const Timeout &) {
                found = std::move(one);
                throw;
            } catch (const Error &) { // it belongs to another call
                const std::lock_guard lock(mutex_);
                left_[i].swap(one);
            }
        }
    }

private:
    std::mutex mutex_;
    std::vector<std::vector<T>> left_;
};

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
    ~Gatherings() {
        for (Pending &one : pending_)
            if (!one.elements.empty())
                LeftElements<T>::all().add(std::move(one.elements));
    }

    // What `call` writes to n elements. After a timeout they are kept, and the same call goes on with them.
    template <class Call> std::vector<T> run(const Ranges<N> &some, int root, std::size_t n, const Call &call) {
        pending_.reserve(pending_.size() + 1);
        const auto at = std::find_if(pending_.begin(), pending_.end(),
                                     [&](const Pending &one) { return one.some == some && one.root == root; });
        std::vector<T> found;
        const bool is_new = at == pending_.end();
        if (is_new) {
            found.resize(n);
        } else {
            found = std::move(at->elements);
            pending_.erase(at);
        }
        try {
            try {
                call(std::span<T>(found));
            } catch (const Error &failed) {
                // The same call of an alias that is gone has timed out.
                if (!is_new || n == 0 || failed.code() != DRI_ERR_STATE ||
                    !LeftElements<T>::all().go_on(n, found, call))
                    throw;
            }
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
