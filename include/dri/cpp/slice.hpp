// Slices: some elements of an array, to assign, write and loop over.
#pragma once

#include <dri/cpp/apply.hpp>
#include <dri/cpp/array_text.hpp>
#include <dri/cpp/compound.hpp>

#include <optional>

namespace dri {
inline namespace v1 {

// Some elements of an array, for one statement: it refers to the array. Slice<const T, N> is read only.
template <class T, std::size_t N> class Slice {
    using Whole = std::conditional_t<std::is_const_v<T>, const Array<std::remove_const_t<T>, N>, Array<T, N>>;

public:
    using element_type = T;

    // Ranges that are not inside fail in the use of the slice, with DRI_ERR_ARG. Statements read beyond the domain
    // what overlap has there.
    Slice(Whole &array, const Ranges<N> &ranges) : array_(&array), ranges_(ranges) {}
    Slice(const Slice &) = default;
    ~Slice() = default;

    Whole &array() const noexcept { return *array_; }
    DRI_Array handle() const noexcept { return array_->handle(); }
    const Ranges<N> &ranges() const noexcept { return ranges_; }
    // Over the map of the array. It is made at the first call. Throws DRI_ERR_ARG for ranges that are not inside.
    const Domain<N> &domain() const {
        if (!domain_) {
            static_cast<void>(densify(ranges_, array_->ranges()));
            domain_ = array_->domain()[ranges_];
        }
        return *domain_;
    }

    // Assigns elements, as those of Array.
    const Slice &operator=(const Slice &from) const {
        detail::assign_item(*this, from);
        return *this;
    }
    template <class From>
    requires detail::ArrayItem<From>
    const Slice &operator=(const From &from) const {
        detail::assign_item(*this, from);
        return *this;
    }
    template <detail::ExpressionLike E> const Slice &operator=(const E &expression) const {
        detail::run_statement(*this, expression);
        return *this;
    }
    const Slice &operator=(const std::remove_const_t<T> &value) const {
        static_assert(!std::is_const_v<T>, "dri: an assignment changes its left side, which is const");
        forall(*this, [&value](T &x) { x = value; });
        return *this;
    }

    // As Array::write() of the slice alone.
    void write(std::ostream &out) const {
        detail::Owned<DRI_Array, DRI_array_destroy> alias;
        detail::check(DRI_array_slice(handle(), ranges_.data(), 0, alias.out()));
        detail::write_item<std::remove_const_t<T>, N>(out, *this, alias.get());
    }

private:
    Whole *array_;
    Ranges<N> ranges_;
    mutable std::optional<Domain<N>> domain_;
};

template <class T, std::size_t N> struct loop_item<Slice<T, N>> {
    static constexpr std::size_t dims = N;
    static const Domain<N> &domain(const Slice<T, N> &x) { return x.domain(); }
    static const Ranges<N> &ranges(const Slice<T, N> &x) { return x.ranges(); }
    static MemoryCursor<T, N> cursor(const Slice<T, N> &x, const Ranges<N> &dense) {
        return loop_item<Array<std::remove_const_t<T>, N>>::find(x.array(), undensify(dense, x.ranges()));
    }
};

} // namespace v1
} // namespace dri
