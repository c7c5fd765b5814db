// Partitions: how all dimensions of an array are cut.
#pragma once

#include <dri/cpp/cut.hpp>

#include <string>

namespace dri {
inline namespace v1 {

// How N dimensions are cut. A value: copies share one handle.
template <std::size_t N> class Partition : detail::Dims<N> {
public:
    // One cut for each dimension.
    template <class... Cuts>
    requires(std::convertible_to<Cuts, const Cut &> &&...) Partition(const Cuts &...cuts) {
        static_assert(sizeof...(Cuts) == N, "dri: a Partition of N dimensions takes exactly N cuts");
        const std::array<DRI_Part_dim, N> rules{static_cast<const Cut &>(cuts).rule()...};
        create(rules);
    }

    // The same for cuts that the program has in an array.
    explicit Partition(const std::array<Cut, N> &cuts) {
        std::array<DRI_Part_dim, N> rules{};
        for (std::size_t d = 0; d < N; ++d)
            rules[d] = cuts[d].rule();
        create(rules);
    }

    // Takes over a handle of the C interface. Throws DRI_ERR_ARG for another number of dimensions; the handle
    // stays the caller's then.
    static Partition adopt(DRI_Part handle) {
        int ndims = 0;
        detail::check(DRI_part_get_ndims(handle, &ndims));
        if (ndims != static_cast<int>(N))
            detail::fail(DRI_ERR_ARG, "adopt(): the object has " + std::to_string(ndims) + " dimensions, not " +
                                          std::to_string(N));
        return Partition(handle, Given{});
    }

    // The exact piece of the calling process, one tuple for each dimension.
    static Partition pieces(const std::array<DRI_Part_tuple, N> &tuples) {
        DRI_Part part;
        detail::check(DRI_part_create(static_cast<int>(N), detail::pointer(tuples), &part));
        return Partition(part, Given{});
    }

    DRI_Part handle() const noexcept { return kept_.get(); }

    // The partition whose dimension i is cut as dimension perm[i] of this one.
    Partition turned(const std::array<int, N> &perm) const {
        DRI_Part part;
        detail::check(DRI_part_turn(handle(), detail::pointer(perm), &part));
        return Partition(part, Given{});
    }

    // The same partition with other edges.
    Partition with_edges(const std::array<Edge, N> &left, const std::array<Edge, N> &right) const {
        std::array<DRI_Edge, N> of_left{}, of_right{};
        for (std::size_t d = 0; d < N; ++d) {
            of_left[d] = static_cast<DRI_Edge>(left[d]);
            of_right[d] = static_cast<DRI_Edge>(right[d]);
        }
        DRI_Part part;
        detail::check(DRI_part_with_edges(handle(), detail::pointer(of_left), detail::pointer(of_right), &part));
        return Partition(part, Given{});
    }

    // Balanced blocks along dimension d, all others whole.
    static Partition cut_dim(int d) {
        DRI_Part part;
        detail::check(DRI_part_create_blocks(static_cast<int>(N), d, &part));
        return Partition(part, Given{});
    }

private:
    struct Given {};
    Partition(DRI_Part part, Given) : kept_(part) {}

    void create(const std::array<DRI_Part_dim, N> &rules) {
        DRI_Part part;
        detail::check(DRI_part_create_rule(static_cast<int>(N), detail::pointer(rules), &part));
        kept_ = detail::Shared<DRI_Part, DRI_part_destroy>(part);
    }

    detail::Shared<DRI_Part, DRI_part_destroy> kept_;
};

template <class... Cuts>
requires(std::convertible_to<Cuts, const Cut &> &&...) Partition(const Cuts &...)
->Partition<sizeof...(Cuts)>;

// The exact piece of the calling process: {overlap before, first index, one past the last, overlap behind} for
// each dimension.
template <std::size_t N> Partition<N> pieces(const DRI_Part_tuple (&tuples)[N]) {
    std::array<DRI_Part_tuple, N> list{};
    for (std::size_t d = 0; d < N; ++d)
        list[d] = tuples[d];
    return Partition<N>::pieces(list);
}

template <std::size_t N> Partition<N> pieces(const std::array<DRI_Part_tuple, N> &tuples) {
    return Partition<N>::pieces(tuples);
}

// Balanced blocks along dimension d for all processes, all other dimensions whole.
template <std::size_t N> Partition<N> cut_dim(int d) { return Partition<N>::cut_dim(d); }

} // namespace v1
} // namespace dri
