// Pieces: what each process asks for of an array, copies of what others own included.
#pragma once

#include <dri/cpp/box.hpp>
#include <dri/cpp/element.hpp>
#include <dri/cpp/gdo.hpp>
#include <dri/cpp/group.hpp>
#include <dri/cpp/view.hpp>

#include <optional>

namespace dri {
inline namespace v1 {

// Elements of an array in memory, with their indices.
template <class T, std::size_t N> class RangedView : public View<T, N> {
public:
    RangedView() = default;
    RangedView(const View<T, N> &view, const Ranges<N> &ranges) : View<T, N>(view), ranges_(ranges) {}
    // One range per dimension, of dense indices in the whole array.
    const Ranges<N> &ranges() const noexcept { return ranges_; }

private:
    Ranges<N> ranges_;
};

namespace detail {

template <class T, std::size_t N> std::array<RangedView<T, N>, 3> parts_of(DRI_Array array) {
    int n = 0;
    std::array<DRI_View, 3> raw{};
    check(DRI_array_get_parts(array, &n, raw.data()));
    std::array<RangedView<T, N>, 3> parts;
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
        const auto ranges = ranges_of<N>(raw[k].range);
        Index<N> steps{};
        std::copy_n(raw[k].step, N, steps.begin());
        parts[k] = {View<T, N>(static_cast<T *>(raw[k].data), ranges.sizes(), steps), ranges};
    }
    return parts;
}

} // namespace detail

// Some elements of an array on each process: those that it owns, between copies of what lies before and behind
// them along dimension 0. Array::repartition() makes it. A piece shares the memory of its array. It is moved, not
// copied.
template <class T, std::size_t N> class Piece : detail::Dims<N>, detail::Elementary<T> {
public:
    // Over memory of the caller, which stays valid as long as the piece. parts: left halo, owned elements, right
    // halo, which follow each other along dimension 0; loffs: the index of the first element of the first one.
    // Local. See DRI_array_init.
    Piece(const Gdo<T, N> &whole, const Group &group, const Index<N> &loffs,
          const std::array<View<T, N>, 3> &parts) {
        std::array<DRI_View, 3> raw{};
        for (std::size_t k = 0; k < parts.size(); ++k) {
            raw[k].data = parts[k].data();
            raw[k].ndims = N;
            raw[k].element_bytes = sizeof(T);
            for (std::size_t d = 0; d < N; ++d) {
                raw[k].range[d] = DRI_Range{0, 1, parts[k].extents()[d]};
                raw[k].step[d] = parts[k].strides()[d];
            }
        }
        detail::check(DRI_array_init(whole.handle(), group.handle(), loffs.data(), 3, raw.data(), kept_.out()));
    }
    // Takes over a handle of the C interface, of elements T and N dimensions.
    static Piece adopt(DRI_Array handle) {
        Piece piece;
        piece.kept_ = Kept(handle);
        return piece;
    }

    DRI_Array handle() const noexcept { return kept_.get(); }

    // Left halo, owned elements and right halo, and the position of the first element of the first one. Local. See
    // DRI_array_get_parts and DRI_array_get_loffs.
    std::array<RangedView<T, N>, 3> parts() const { return detail::parts_of<T, N>(handle()); }
    Index<N> loffs() const {
        Index<N> found{};
        detail::check(DRI_array_get_loffs(handle(), found.data()));
        return found;
    }

    // What this process holds of a slice of the piece's positions, at positions of the slice or at all of them. In
    // the same memory. Local. See DRI_array_subview.
    Piece subview(const Ranges<N> &slice, const std::optional<Box<N>> &target = {}) const {
        const DRI_Box at = target ? detail::raw_box(*target) : DRI_Box{};
        Piece piece;
        detail::check(DRI_array_subview(handle(), slice.data(), target ? &at : nullptr, piece.kept_.out()));
        return piece;
    }

    // Fetches the halos again, at once or in halves. Collective over the array's processes; not synchronising.
    void update_overlap() { detail::check(DRI_array_update_overlap(handle())); }
    void update_overlap_start() { detail::check(DRI_array_update_overlap_start(handle())); }
    void update_overlap_wait() { detail::check(DRI_array_update_overlap_wait(handle())); }

    // A label of the memory of a piece of the caller's: "host" or another device. See DRI_array_set_device.
    void set_device(const std::string &name) { detail::check(DRI_array_set_device(handle(), name.c_str())); }
    std::string device() const {
        std::array<char, 64> text{};
        detail::check(DRI_array_get_device(handle(), text.data(), text.size()));
        return text.data();
    }

private:
    template <class, std::size_t> friend class Array;
    using Kept = detail::Owned<DRI_Array, DRI_array_destroy>;
    Piece() = default;

    Kept kept_;
};

} // namespace v1
} // namespace dri
