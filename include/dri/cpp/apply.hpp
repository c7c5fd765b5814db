// Kernels of your own on boxes of arrays.
//
//     dri::apply(noise[in], [](auto out, auto p) { out(i, j) = p(i - 1, j) + p(i + 1, j); ... },
//                dri::reach(power[in], {1, 0}, {1, 0}));
#pragma once

#include <dri/cpp/loop.hpp>

#include <functional>

namespace dri {
inline namespace v1 {

// The elements of a box and those around it, by position in the box: indices along dimension d go from -left(d) to
// extent(d) + right(d) - 1. It owns nothing.
template <class T, std::size_t N> class ReachView : public View<T, N> {
public:
    ReachView(const View<T, N> &box, const Index<N> &left, const Index<N> &right)
        : View<T, N>(box), left_(left), right_(right) {}

    std::int64_t left(int d) const { return left_[static_cast<std::size_t>(d)]; }
    std::int64_t right(int d) const { return right_[static_cast<std::size_t>(d)]; }

    // An assert checks each index.
    template <class... Indices> T &operator()(Indices... indices) const {
        static_assert(sizeof...(Indices) == N, "dri: a View of N dimensions takes exactly N indices");
        static_assert((std::integral<Indices> && ...), "dri: an index is an integer");
        return at(std::make_index_sequence<N>(), static_cast<std::int64_t>(indices)...);
    }

private:
    template <std::size_t... D, class... Indices> T &at(std::index_sequence<D...>, Indices... indices) const {
        assert(((indices >= -left_[D] && indices < this->extents()[D] + right_[D]) && ...));
        return this->data()[((indices * this->strides()[D]) + ...)];
    }

    Index<N> left_, right_;
};

namespace detail {

// A read whose kernel looks around a position.
template <class T, std::size_t N> struct Reach {
    Leaf<T, N> leaf;
    Index<N> left, right;
};

template <class X> inline constexpr bool is_reach = false;
template <class T, std::size_t N> inline constexpr bool is_reach<Reach<T, N>> = true;
template <class X>
concept KernelRead = ArrayItem<X> || PlainElements<X> || is_reach<X>;

template <ArrayItem X> auto read_of(const X &x) {
    return Leaf<std::remove_const_t<typename X::element_type>, item_dims<X>>{x.handle(), x.ranges()};
}
template <class T, std::size_t N> auto read_of(const View<T, N> &view) { return plain_leaf(view); }
template <class T, std::size_t N> auto read_of(const Reach<T, N> &reach) { return reach; }

template <std::size_t dims, class T, std::size_t N> DRI_Operand *fill(DRI_Operand *next, const Reach<T, N> &read) {
    static_assert(N <= dims, "dri: an operand has no more dimensions than the loop");
    std::copy_n(read.left.begin(), N, next->left);
    std::copy_n(read.right.begin(), N, next->right);
    return fill<dims>(next, read.leaf);
}

template <class T, std::size_t N> View<T, N> view_of(const KernelBox &box, std::size_t operand) {
    const auto cursor = box.cursor<T, N>(operand);
    return View<T, N>(cursor.first, box.extents<N>(), cursor.step);
}
// What a kernel gets of a read. N: dimensions of the loop.
template <std::size_t N, class T, std::size_t M>
View<const T, N> argument(const KernelBox &box, std::size_t operand, const Leaf<T, M> &) {
    return view_of<const T, N>(box, operand);
}
template <std::size_t N, class T, std::size_t M>
View<const T, N> argument(const KernelBox &box, std::size_t operand, const PlainLeaf<T, M> &) {
    return view_of<const T, N>(box, operand);
}
template <std::size_t N, class T, std::size_t M>
ReachView<const T, N> argument(const KernelBox &box, std::size_t operand, const Reach<T, M> &read) {
    Index<N> left{}, right{};
    std::copy_n(read.left.begin(), M, left.end() - M);
    std::copy_n(read.right.begin(), M, right.end() - M);
    return {view_of<const T, N>(box, operand), left, right};
}

// A kernel with its reads, as the context of a loop.
template <class T, std::size_t N, class F, class... Reads> class Application {
public:
    Application(F &kernel, const Reads &...reads) : kernel_(kernel), reads_(reads...) {}

    void run(const DRI_Operand &target) {
        std::array<DRI_Operand, 1 + sizeof...(Reads)> operands{};
        operands[0] = target;
        DRI_Operand *next = operands.data() + 1;
        std::apply([&](const auto &...read) { ((next = fill<N>(next, read)), ...); }, reads_);
        using Values = KernelValue<std::decay_t<F>>;
        using Steps = StatementSteps<1 + sizeof...(Reads)>;
        UnfinishedRuns<Values, 1 + sizeof...(Reads)>::go_on(operands, Values(kernel_), this,
                                                            Steps{operands, call, this});
    }

private:
    static int call(void *context, int ndims, const std::int64_t sizes[], void *const data[],
                    const std::int64_t *const steps[]) {
        const KernelBox box{ndims, sizes, data, steps};
        auto &self = *static_cast<Application *>(context);
        return guarded([&] { self.call_kernel(box, std::index_sequence_for<Reads...>()); });
    }
    template <std::size_t... K> void call_kernel(const KernelBox &box, std::index_sequence<K...>) {
        std::invoke(kernel_, view_of<T, N>(box, 0), argument<N>(box, K + 1, std::get<K>(reads_))...);
    }

    F &kernel_;
    std::tuple<Reads...> reads_;
};

} // namespace detail

// A read for apply() whose kernel looks around each position: left[d] positions before and right[d] behind it
// along dimension d. Elements there must lie in the array, or in its overlap that wraps or is a pad.
template <class X>
requires detail::ArrayItem<X>
auto reach(const X &x, const std::type_identity_t<Index<detail::item_dims<X>>> &left,
           const std::type_identity_t<Index<detail::item_dims<X>>> &right) {
    using T = std::remove_const_t<typename X::element_type>;
    return detail::Reach<T, detail::item_dims<X>>{detail::read_of(x), left, right};
}

// Calls a kernel of your own for boxes that are together what this process owns of `to`: an array or a slice. Its
// arguments are a View<T, N> of the box to write, and for each read a View<const T, N> of the elements at the same
// positions, or a ReachView for those of reach(). Reads are arrays, slices, reach() of them, and Views of memory
// with equal contents on all processes; they are broadcast as operands of expressions. The result may take a
// temporary, so the kernel only writes `to`. What it throws, apply() throws on this process.
//
// Collective over the processes of the arrays, as statements. See DRI_loop_run.
template <class To, class F, class... Reads>
requires detail::ArrayItem<std::remove_cvref_t<To>> &&
    (detail::KernelRead<Reads> &&...) void apply(To &&to, F &&kernel, const Reads &...reads) {
    using Target = std::remove_reference_t<To>;
    using T = typename Target::element_type;
    constexpr std::size_t N = detail::item_dims<Target>;
    static_assert(!std::is_const_v<T> && (requires { to.array(); } || !std::is_const_v<Target>),
                  "dri: an assignment changes its left side, which is const");
    static_assert(sizeof...(Reads) <= detail::most_reads, "dri: a statement reads 32 slices at most");
    DRI_Operand target{};
    detail::fill<N>(&target, detail::read_of(to));
    detail::Application<T, N, std::remove_reference_t<F>, decltype(detail::read_of(reads))...>(
        kernel, detail::read_of(reads)...)
        .run(target);
}

} // namespace v1
} // namespace dri
