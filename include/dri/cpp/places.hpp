// How the parts of an endpoint lie, which of strips differ if the last one is shorter.
#pragma once

#include <dri/cpp/part.hpp>
#include <dri/cpp/strips.hpp>

#include <memory>
#include <utility>

namespace dri {
inline namespace v1 {
namespace detail {

// The distribution of strip k of an endpoint.
template <class T, std::size_t N> Dist<T, N> strip_of(DRI_Xfer xfer, std::int64_t k) {
    Owned<DRI_Dist, DRI_dist_destroy> made;
    check(DRI_xfer_get_strip(xfer, k, made.out()));
    const auto dist = Dist<T, N>::adopt(made.get());
    made.give_up();
    return dist;
}

// The strip that the caller of an endpoint works on; -1 if it has none in hand. Without strips it is 0.
inline std::int64_t strip_in_hand(DRI_Xfer xfer) {
    std::int64_t strip = -1;
    check(DRI_xfer_get_strips(xfer, nullptr, &strip, nullptr, nullptr));
    return strip;
}

// What endpoints and the objects share that outlive them: the placements of the parts.
template <class T, std::size_t N> class Places {
public:
    Places(DRI_Xfer xfer, const Dist<T, N> &dist, const Layout &layout) : first_(dist, layout) {
        const Strips<T, N> strips = strips_of<T, N>(xfer);
        strips_ = strips.count;
        if (strips.dim < 0 || strips_ == 1)
            return;
        const auto d = static_cast<std::size_t>(strips.dim);
        if (strips.whole.sizes()[d] % dist.sizes()[d] != 0)
            last_ = std::make_unique<const Placement<T, N>>(strip_of<T, N>(xfer, strips_ - 1), layout);
    }

    const Placement<T, N> &of(std::int64_t strip) const {
        return last_ && strip % strips_ == strips_ - 1 ? *last_ : first_;
    }
    const Index<N> &extents() const { return first_.extents; } // of the first strip
    bool differ() const { return last_ != nullptr; }

    // Finds out now what elements() needs of the library.
    void prepare() const {
        first_.runs();
        if (last_)
            last_->runs();
    }

private:
    Placement<T, N> first_;
    std::unique_ptr<const Placement<T, N>> last_;
    std::int64_t strips_ = 1;
};

} // namespace detail

} // namespace v1
} // namespace dri
