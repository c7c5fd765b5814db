// Global data objects: n-dimensional arrays that no process holds whole.
#pragma once

#include <dri/cpp/element.hpp>
#include <dri/gdo.h>

#include <string>

namespace dri {
inline namespace v1 {
namespace detail {

// Whether a type of the C interface is T. Takes over the handle.
template <class T> bool is_type(DRI_Type type) {
    const DRI_Type wanted = element<T>::predefined();
    if (wanted.id != 0 || is_predefined(type)) {
        if (!is_predefined(type))
            check(DRI_type_destroy(&type));
        return type.id == wanted.id;
    }
    std::size_t size = 0, alignment = 0;
    const Owned<DRI_Type, DRI_type_destroy> record(type);
    check(DRI_type_get_size(type, &size, &alignment));
    return size == sizeof(T) && alignment == alignof(T);
}

// Whether the elements of a GDO have the type T.
template <class T> bool is_type(DRI_Gdo gdo) {
    DRI_Type type;
    check(DRI_gdo_get_type(gdo, &type));
    return is_type<T>(type);
}

} // namespace detail

template <class T, std::size_t N> class Dist;

// A global array of elements T with N dimensions. A value: copies share one handle.
template <class T, std::size_t N> class Gdo : detail::Dims<N>, detail::Elementary<T> {
public:
    // The array of n0 x n1 x ... elements.
    template <class... Sizes>
    requires(std::integral<Sizes> &&...) explicit Gdo(Sizes... sizes) : Gdo(index_of(sizes...)) {}

    explicit Gdo(const Index<N> &sizes) {
        const detail::ElementType<T> type;
        DRI_Gdo gdo;
        detail::check(DRI_gdo_create(static_cast<int>(N), type.get(), detail::pointer(sizes), &gdo));
        kept_ = detail::Shared<DRI_Gdo, DRI_gdo_destroy>(gdo);
    }

    // Takes over a handle of the C interface. Throws DRI_ERR_ARG for another number of dimensions or another type
    // of elements; the handle stays the caller's then.
    static Gdo adopt(DRI_Gdo handle) {
        check_handle(handle);
        Gdo gdo{Nothing{}};
        gdo.kept_ = detail::Shared<DRI_Gdo, DRI_gdo_destroy>(handle);
        return gdo;
    }

    DRI_Gdo handle() const noexcept { return kept_.get(); }

    // The box that starts at `offsets`. A transfer between the two moves the elements that both have.
    Gdo subset(const Index<N> &offsets, const Index<N> &sizes) const {
        DRI_Gdo sub;
        detail::check(DRI_gdo_subset(handle(), detail::pointer(offsets), detail::pointer(sizes), &sub));
        Gdo gdo{Nothing{}};
        gdo.kept_ = detail::Shared<DRI_Gdo, DRI_gdo_destroy>(sub);
        return gdo;
    }

    Index<N> sizes() const {
        Index<N> found{};
        detail::check(DRI_gdo_get_sizes(handle(), nullptr, detail::pointer(found)));
        return found;
    }

    // Number of elements, over all processes.
    std::int64_t size() const {
        std::int64_t elements = 0;
        detail::check(DRI_gdo_get_count(handle(), &elements, nullptr));
        return elements;
    }

    // Number of bytes, over all processes.
    std::int64_t bytes() const {
        std::int64_t found = 0;
        detail::check(DRI_gdo_get_count(handle(), nullptr, &found));
        return found;
    }

    // The box that a subset is of the whole array: where it starts, and the sizes of the whole.
    Index<N> offset() const {
        Index<N> found{};
        detail::check(DRI_gdo_get_offset(handle(), detail::pointer(found), nullptr));
        return found;
    }
    Index<N> whole_sizes() const {
        Index<N> found{};
        detail::check(DRI_gdo_get_offset(handle(), nullptr, detail::pointer(found)));
        return found;
    }

private:
    friend Dist<T, N>;
    struct Nothing {};
    explicit Gdo(Nothing) {}

    template <class... Sizes> static Index<N> index_of(Sizes... sizes) {
        static_assert(sizeof...(Sizes) == N, "dri: a Gdo of N dimensions takes exactly N sizes");
        return {static_cast<std::int64_t>(sizes)...};
    }

    static void check_handle(DRI_Gdo handle) {
        int ndims = 0;
        detail::check(DRI_gdo_get_sizes(handle, &ndims, nullptr));
        if (ndims != static_cast<int>(N))
            detail::fail(DRI_ERR_ARG, "adopt(): the object has " + std::to_string(ndims) + " dimensions, not " +
                                          std::to_string(N));
        if (!detail::is_type<T>(handle))
            detail::fail(DRI_ERR_ARG, "adopt(): the object's elements have another type");
    }

    detail::Shared<DRI_Gdo, DRI_gdo_destroy> kept_;
};

} // namespace v1
} // namespace dri
