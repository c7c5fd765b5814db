// Parts: the buffers of an endpoint as Views, with the elements that the process owns.
#pragma once

#include <dri/cpp/elements.hpp>
#include <dri/cpp/nest.hpp>
#include <dri/cpp/view.hpp>

#include <concepts>
#include <string>

namespace dri {
inline namespace v1 {

// One buffer of an endpoint: a View of the local array, overlap and pad included, by local index. It is valid as
// long as the endpoint. In a split layout only its planes() have elements; the View itself has none.
template <class T, std::size_t N> class Part : public View<T, N> {
public:
    // No elements.
    Part() = default;
    Part(T *data, const detail::Placement<T, N> &placement) { set(data, placement); }

    // The address of the buffer, in any layout.
    T *data() const noexcept { return data_; }

    // What the process owns, each element with its global index, in the order of memory.
    Elements<T, N> elements() const {
        if (!placement_)
            return {};
        require_interleaved("elements()");
        return Elements<T, N>(detail::Walk<T, N>(data_, *placement_));
    }

    // Calls f(at, x), or f(x), for each of these elements, in the same order. at is its global index. Compilers
    // turn it into nests of plain loops.
    template <class F> void forall(F &&f) const {
        static_assert(std::invocable<F &, const Index<N> &, T &> || std::invocable<F &, T &>,
                      "dri: the function of forall() takes an element, or its index and the element");
        if (!placement_)
            return;
        require_interleaved("forall()");
        detail::Nest<T, N>(data_, *placement_).run(f);
    }

    // As those of View.
    detail::Rows<T, N> rows() const {
        require_interleaved("rows()");
        return View<T, N>::rows();
    }
    std::span<T> span() const {
        require_interleaved("span()");
        return View<T, N>::span();
    }

    template <class... Slices> auto sub(const Slices &...slices) const {
        require_interleaved("sub()");
        return View<T, N>::sub(slices...);
    }

    // The real and the imaginary parts, in a split layout as in any other: `auto [re, im] = part.planes();`
    auto planes() const {
        static_assert(detail::is_complex<T>, "dri: only complex elements have planes");
        using Component = typename element<T>::component;
        using Plane = View<Component, N>;
        if (!placement_)
            return std::array<Plane, 2>{};
        Index<N> strides = placement_->strides;
        if (!placement_->is_split)
            for (std::int64_t &stride : strides)
                stride *= 2;
        auto *const real = reinterpret_cast<Component *>(data_);
        return std::array<Plane, 2>{Plane(real, placement_->extents, strides),
                                    Plane(real + placement_->plane, placement_->extents, strides)};
    }

protected:
    void set(T *data, const detail::Placement<T, N> &placement) {
        View<T, N>::set(placement.is_split ? nullptr : data, placement.view_extents, placement.view_strides);
        data_ = data;
        placement_ = &placement;
    }

private:
    void require_interleaved(const char *call) const {
        if (placement_ && placement_->is_split) [[unlikely]]
            refuse_split(call);
    }
    // A call: compilers treat a loop beside it as if it were alone.
    [[noreturn, gnu::noinline, gnu::cold]] static void refuse_split(const char *call) {
        detail::fail(DRI_ERR_ARG, std::string("Part::") + call + ": the layout is split: use planes()");
    }

    T *data_ = nullptr;
    const detail::Placement<T, N> *placement_ = nullptr;
};

} // namespace v1
} // namespace dri
