// How a process's part lies in memory.
#pragma once

#include <dri/cpp/layout.hpp>

#include <atomic>
#include <memory>
#include <vector>

namespace dri {
inline namespace v1 {
namespace detail {

// How a process's part lies in each buffer of an endpoint: all that a buffer's address does not say.
template <class T, std::size_t N> class Placement {
public:
    Placement(const Dist<T, N> &dist, const Layout &layout)
        : extents(dist.extents()), strides(layout.strides(dist)), dist_(dist) {
        if constexpr (is_complex<T>)
            plane = layout.plane(dist);
        is_split = plane != 1;
        if (!is_split) {
            view_extents = extents;
            view_strides = strides;
        }
    }
    Placement(const Placement &) = delete;
    Placement &operator=(const Placement &) = delete;
    ~Placement() { delete runs_.load(); }

    using Runs = std::array<std::vector<Run>, N>;

    // What the process owns along each dimension. Found at the first call, because lists may be long.
    const Runs &runs() const {
        if (const Runs *const found = runs_.load(std::memory_order_acquire))
            return *found;
        auto fresh = std::make_unique<Runs>();
        for (std::size_t d = 0; d < N; ++d)
            (*fresh)[d] = dist_.runs(dist_.own_rank(), static_cast<int>(d));
        const Runs *none = nullptr;
        // Of two threads that come here at once, one keeps its own.
        return runs_.compare_exchange_strong(none, fresh.get()) ? *fresh.release() : *none;
    }

    Index<N> extents, strides;
    std::int64_t plane = 1; // components from a real part to its imaginary part
    bool is_split = false;
    Index<N> view_extents{}, view_strides{}; // of the part as a View, which has no elements if it is split

private:
    Dist<T, N> dist_;
    mutable std::atomic<const Runs *> runs_ = nullptr;
};

} // namespace detail
} // namespace v1
} // namespace dri
