// Maps: which process of a group owns which index.
#pragma once

#include <dri/cpp/cut.hpp>
#include <dri/cpp/dist.hpp>
#include <dri/cpp/ranges.hpp>
#include <dri/cpp/user_map.hpp>
#include <dri/map.h>

namespace dri {
inline namespace v1 {

// How a map cuts one dimension. See DRI_Map_dim.
class MapDim {
public:
    static MapDim whole() { return {}; }
    // Blocks of the box [low, high] of a range. parts: their number; 0: the library chooses, also below.
    static MapDim block(const Range &box, int parts = 0) {
        MapDim dim;
        dim.rule_.kind = DRI_BLOCK;
        dim.rule_.nparts = parts;
        dim.rule_.lo = box.low().value_or(0);
        dim.rule_.hi = box.size > 0 ? *box.high() + 1 : dim.rule_.lo;
        return dim;
    }
    // Blocks of `size` indices round-robin, from `start`.
    static MapDim cyclic(std::int64_t start, std::int64_t size = 1, int parts = 0) {
        MapDim dim;
        dim.rule_.kind = DRI_BLOCK_CYCLIC;
        dim.rule_.nparts = parts;
        dim.rule_.start = start;
        dim.rule_.block = size;
        return dim;
    }

    // Blocks with overlap, in members of the domain, and what it holds beyond the domain.
    MapDim overlap(std::int64_t left, std::int64_t right) const {
        MapDim dim(*this);
        dim.rule_.left = left;
        dim.rule_.right = right;
        return dim;
    }
    MapDim edges(Edge left, Edge right) const {
        MapDim dim(*this);
        dim.rule_.left_edge = static_cast<DRI_Edge>(left);
        dim.rule_.right_edge = static_cast<DRI_Edge>(right);
        return dim;
    }
    const DRI_Map_dim &rule() const noexcept { return rule_; }

private:
    DRI_Map_dim rule_{};
};

// Which process of a group owns which index of N dimensions. A value: copies share one handle. All calls are
// Local.
template <std::size_t N> class Map : detail::Dims<N> {
public:
    static_assert(N > 0, "dri: a Map has at least one dimension");

    // A rule for each dimension. See DRI_map_create.
    explicit Map(const std::array<MapDim, N> &dims, const Group &group = world()) {
        std::array<DRI_Map_dim, N> rules;
        for (std::size_t d = 0; d < N; ++d)
            rules[d] = dims[d].rule();
        DRI_Map map;
        detail::check(DRI_map_create(static_cast<int>(N), rules.data(), group.handle(), &map));
        kept_ = Kept(map);
    }

    // A map of the user's own: an object with `int owner(Index<N>) const`, the position in the group of the
    // process that owns an index. See DomainMap for what it may have besides, and DRI_map_create_user.
    template <class M>
    requires DomainMap<std::remove_cvref_t<M>, N> Map(M &&map, const Group &group) {
        using Own = detail::UserMap<std::remove_cvref_t<M>, N>;
        auto own = std::make_unique<std::remove_cvref_t<M>>(std::forward<M>(map));
        DRI_Map made;
        const DRI_Map_ops ops = Own::ops();
        detail::check(DRI_map_create_user(static_cast<int>(N), &ops, own.get(), group.handle(), &made));
        static_cast<void>(own.release()); // it is destroyed with the last map that has it
        kept_ = Kept(made);
    }

    // Takes over a handle of the C interface. Throws DRI_ERR_ARG for another number of dimensions; the handle
    // stays the caller's then.
    static Map adopt(DRI_Map handle) {
        int ndims = 0;
        detail::check(DRI_map_get_ndims(handle, &ndims));
        if (ndims != static_cast<int>(N))
            detail::fail(DRI_ERR_ARG, "adopt(): the map has " + std::to_string(ndims) + " dimensions, not " +
                                          std::to_string(N));
        Map map{Nothing{}};
        map.kept_ = Kept(handle);
        return map;
    }

    // Writes the map as bytes, of which unpack() makes it again, on any process of any run. M: the type of a
    // user's map, which has pack() and unpack().
    std::vector<std::byte> pack() const {
        std::size_t n = 0;
        detail::check(DRI_map_pack(handle(), nullptr, 0, &n));
        std::vector<std::byte> bytes(n);
        detail::check(DRI_map_pack(handle(), bytes.data(), n, nullptr));
        return bytes;
    }
    static Map unpack(std::span<const std::byte> bytes) { return unpack_by(bytes, nullptr); }
    template <class M> static Map unpack(std::span<const std::byte> bytes) {
        const DRI_Map_ops ops = detail::UserMap<M, N>::ops();
        return unpack_by(bytes, &ops);
    }

    DRI_Map handle() const noexcept { return kept_.get(); }

    // The rank of the process that owns an index.
    int owner(const Index<N> &index) const {
        int rank = 0;
        detail::check(DRI_map_owner(handle(), index.data(), &rank));
        return rank;
    }
    template <std::integral I> int owner(I index) const requires(N == 1) {
        return owner(Index<1>{static_cast<std::int64_t>(index)});
    }

    // Its processes, and the number of parts along each dimension.
    Group group() const {
        DRI_Group group;
        detail::check(DRI_map_get_group(handle(), &group));
        return Group::adopt(group);
    }
    std::array<int, N> grid() const {
        std::array<int, N> found{};
        detail::check(DRI_map_get_grid(handle(), found.data()));
        return found;
    }

    // A line with the rule, and a line for each process.
    std::string describe() const {
        return detail::whole_text(
            [this](char *text, std::size_t n) { return DRI_map_describe(handle(), text, n); });
    }

    // Another handle of the same map.
    Map clone() const {
        DRI_Map made;
        detail::check(DRI_map_clone(handle(), &made));
        return adopt(made);
    }

    // Whether both give every index the same owner. See DRI_map_equal.
    friend bool operator==(const Map &a, const Map &b) {
        int flag = 0;
        detail::check(DRI_map_equal(a.handle(), b.handle(), &flag));
        return flag == 1;
    }

private:
    using Kept = detail::Shared<DRI_Map, DRI_map_destroy>;
    struct Nothing {};
    explicit Map(Nothing) {}

    static Map unpack_by(std::span<const std::byte> bytes, const DRI_Map_ops *ops) {
        detail::Owned<DRI_Map, DRI_map_destroy> made;
        detail::check(DRI_map_unpack(bytes.data(), bytes.size(), ops, made.out()));
        const Map map = adopt(made.get());
        made.give_up();
        return map;
    }

    Kept kept_;
};

template <std::size_t N> Map(const std::array<MapDim, N> &, const Group &) -> Map<N>;
template <std::size_t N> Map(const std::array<MapDim, N> &) -> Map<N>;
template <class M> Map(M, const Group &) -> Map<detail::dims_of<M>>;

// The box in blocks, one for each process of a group. Indices outside belong to the nearest block.
template <std::size_t N> Map<N> block_map(const Ranges<N> &box, const Group &group = world()) {
    std::array<MapDim, N> dims;
    for (std::size_t d = 0; d < N; ++d)
        dims[d] = MapDim::block(box[d]);
    return Map<N>(dims, group);
}

// The same with space for copies of the neighbours' elements: overlap[d] members before and behind each block.
template <std::size_t N>
Map<N> stencil_map(const Ranges<N> &box, const std::type_identity_t<Index<N>> &overlap,
                   Edge edges = Edge::truncate, const Group &group = world()) {
    std::array<MapDim, N> dims;
    for (std::size_t d = 0; d < N; ++d)
        dims[d] = MapDim::block(box[d]).overlap(overlap[d], overlap[d]).edges(edges, edges);
    return Map<N>(dims, group);
}

// Indices round-robin, from the one at `start`: `cyclic_map({0, 0})`.
template <std::size_t N> Map<N> cyclic_map(const std::int64_t (&start)[N], const Group &group = world()) {
    std::array<MapDim, N> dims;
    for (std::size_t d = 0; d < N; ++d)
        dims[d] = MapDim::cyclic(start[d]);
    return Map<N>(dims, group);
}

// Blocks of indices round-robin: `block_cyclic_map({0, 0}, {2, 3})`.
template <std::size_t N>
Map<N> block_cyclic_map(const std::int64_t (&start)[N], const std::int64_t (&block)[N],
                        const Group &group = world()) {
    std::array<MapDim, N> dims;
    for (std::size_t d = 0; d < N; ++d)
        dims[d] = MapDim::cyclic(start[d], block[d]);
    return Map<N>(dims, group);
}

// The map of a distribution that tiles. See DRI_map_create_dist.
template <class T, std::size_t N> Map<N> dist_map(const Dist<T, N> &dist) {
    DRI_Map map;
    detail::check(DRI_map_create_dist(dist.handle(), &map));
    return Map<N>::adopt(map);
}

} // namespace v1
} // namespace dri
