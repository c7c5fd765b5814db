// Distributions: which process holds which elements.
#pragma once

#include <dri/cpp/gdo.hpp>
#include <dri/cpp/group.hpp>
#include <dri/cpp/indexed.hpp>
#include <dri/cpp/owned.hpp>
#include <dri/cpp/partition.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace dri {
inline namespace v1 {
namespace detail {
template <class T, std::size_t N> class Placement;
}

// A Gdo, a partition and a group. A value: copies share one handle.
//
// On a process outside the group it is empty: `if (dist)` is false, and so are ends made from it. All queries are
// Local and take the rank of a process of the group. Without a rank they are about the calling process, whose part
// is empty if the distribution is.
template <class T, std::size_t N> class Dist : detail::Dims<N>, detail::Elementary<T> {
public:
    // An empty one.
    Dist() = default;

    // Collective over the group; synchronising. Other processes may call it, too; they do nothing. See
    // DRI_dist_create.
    Dist(const Gdo<T, N> &gdo, const Partition<N> &partition, const Group &group = world())
        : gdo_(gdo), group_(group), sizes_(gdo.sizes()) {
        if (group.position() < 0)
            return;
        DRI_Dist dist;
        detail::check(DRI_dist_create(gdo.handle(), partition.handle(), group.handle(), &dist));
        kept_ = detail::Shared<DRI_Dist, DRI_dist_destroy>(dist);
        detail::check(DRI_world_rank(&rank_));
    }

    // Takes over a handle of the C interface. Throws DRI_ERR_ARG for another number of dimensions or another type;
    // the handle stays the caller's then. On a process outside the group the distribution is empty, but answers
    // about others.
    static Dist adopt(DRI_Dist handle) {
        Dist dist;
        dist.gdo_ = gdo_of(handle);
        dist.sizes_ = dist.gdo_.sizes();
        DRI_Group group;
        detail::check(DRI_dist_get_group(handle, &group));
        dist.group_ = Group::adopt(group);
        if (dist.group_.position() >= 0)
            detail::check(DRI_world_rank(&dist.rank_));
        dist.kept_ = detail::Shared<DRI_Dist, DRI_dist_destroy>(handle);
        return dist;
    }

    // Writes the distribution as bytes, and makes it of them, without the other processes. Every process may do
    // so; outside the group the distribution is empty, but answers about others. Local. See DRI_dist_pack.
    std::vector<std::byte> pack() const {
        std::size_t n = 0;
        detail::check(DRI_dist_pack(handle(), nullptr, 0, &n));
        std::vector<std::byte> bytes(n);
        detail::check(DRI_dist_pack(handle(), bytes.data(), n, nullptr));
        return bytes;
    }
    static Dist unpack(std::span<const std::byte> bytes) {
        detail::Owned<DRI_Dist, DRI_dist_destroy> made;
        detail::check(DRI_dist_unpack(bytes.data(), bytes.size(), made.out()));
        const Dist dist = adopt(made.get());
        made.give_up();
        return dist;
    }

    DRI_Dist handle() const noexcept { return kept_.get(); }
    explicit operator bool() const noexcept { return rank_ >= 0; }

    // What it was made of.
    const Gdo<T, N> &gdo() const noexcept { return gdo_; }
    const Group &group() const noexcept { return group_; }
    // The cut of a dimension. Exact pieces have none: tuples() says what they are.
    Cut cut(int dim) const {
        DRI_Part_dim rule{};
        detail::check(DRI_dist_get_rule(handle(), dim, &rule));
        if (rule.kind == DRI_PIECES)
            detail::fail(DRI_ERR_UNSUPPORTED, "Dist::cut(): the parts are exact pieces, which have no cuts");
        return Cut(rule);
    }

    // The rank of the calling process in the world; -1 if the distribution is empty.
    int own_rank() const noexcept { return rank_; }

    // The sizes of its array.
    const Index<N> &sizes() const noexcept { return sizes_; }

    // The 4-tuples of a process's part.
    std::array<DRI_Part_tuple, N> tuples(int rank) const {
        std::array<DRI_Part_tuple, N> found{};
        detail::check(DRI_dist_get_part(handle(), rank, detail::pointer(found)));
        return found;
    }
    std::array<DRI_Part_tuple, N> tuples() const {
        return *this ? tuples(rank_) : std::array<DRI_Part_tuple, N>{};
    }

    // The shape of a process's local array, overlap and pad included.
    Index<N> extents(int rank) const {
        Index<N> found{};
        detail::check(DRI_dist_get_extents(handle(), rank, detail::pointer(found)));
        return found;
    }
    Index<N> extents() const { return *this ? extents(rank_) : Index<N>{}; }

    // The number of elements that a process owns.
    std::int64_t owned(int rank) const {
        std::int64_t found = 0;
        detail::check(DRI_dist_get_count(handle(), rank, &found, nullptr));
        return found;
    }
    std::int64_t owned() const { return *this ? owned(rank_) : 0; }

    // The number of elements that its local array holds, overlap and pad included.
    std::int64_t held(int rank) const {
        std::int64_t found = 0;
        detail::check(DRI_dist_get_count(handle(), rank, nullptr, &found));
        return found;
    }
    std::int64_t held() const { return *this ? held(rank_) : 0; }

    // The number of parts along each dimension.
    std::array<int, N> grid() const {
        std::array<int, N> found{};
        detail::check(DRI_dist_get_grid(handle(), detail::pointer(found)));
        return found;
    }

    // The coordinates of a process's part in the grid.
    std::array<int, N> coords(int rank) const {
        std::array<int, N> found{};
        detail::check(DRI_dist_get_coords(handle(), rank, detail::pointer(found)));
        return found;
    }
    std::array<int, N> coords() const { return coords(rank_); }

    // The first process that owns an element.
    int owner(const Index<N> &index) const {
        int rank = 0;
        detail::check(DRI_dist_owner(handle(), detail::pointer(index), &rank));
        return rank;
    }

    // All processes that own it.
    std::vector<int> replicas(const Index<N> &index) const {
        int n = 0;
        detail::check(DRI_dist_replicas(handle(), detail::pointer(index), &n, nullptr));
        std::vector<int> ranks(static_cast<std::size_t>(n));
        if (n > 0)
            detail::check(DRI_dist_replicas(handle(), detail::pointer(index), &n, ranks.data()));
        return ranks;
    }

    // The position of an element in a process's local array.
    Index<N> local_index(int rank, const Index<N> &index) const {
        Index<N> local{};
        detail::check(DRI_dist_local_index(handle(), rank, detail::pointer(index), detail::pointer(local)));
        return local;
    }
    Index<N> local_index(const Index<N> &index) const { return local_index(rank_, index); }

    // The element at a position of a process's local array.
    Index<N> global_index(int rank, const Index<N> &local) const {
        Index<N> index{};
        detail::check(DRI_dist_global_index(handle(), rank, detail::pointer(local), detail::pointer(index)));
        return index;
    }
    Index<N> global_index(const Index<N> &local) const { return global_index(rank_, local); }

    // The blocks of a process's part along a dimension, in the order of its local array: a random-access range.
    auto blocks(int rank, int dim) const {
        std::int64_t n = 0;
        detail::check(DRI_dist_num_blocks(handle(), rank, dim, &n));
        return blocks(rank, dim, n);
    }
    auto blocks(int dim) const { return *this ? blocks(rank_, dim) : blocks(rank_, dim, 0); }

    // The indices of the elements that a process owns, the last dimension fastest: a random-access range.
    auto owned_indices(int rank) const {
        std::array<detail::Owners, N> along;
        for (std::size_t d = 0; d < N; ++d)
            along[d] = detail::Owners(runs(rank, static_cast<int>(d)));
        return detail::indices_of(along);
    }
    auto owned_indices() const {
        return *this ? owned_indices(rank_) : detail::indices_of(std::array<detail::Owners, N>{}, false);
    }

    // A line of text, such as "float [97,64] block(4),* over 0-3". On a process without the distribution: "empty".
    std::string describe() const {
        if (handle().id == 0)
            return "empty";
        return detail::whole_text(
            [this](char *text, std::size_t n) { return DRI_dist_describe(handle(), text, n); });
    }

    // Whether both hold every element at the same positions, and own the same of these. Two empty ones are equal.
    friend bool operator==(const Dist &a, const Dist &b) {
        if (a.handle().id == 0 || b.handle().id == 0)
            return a.handle().id == b.handle().id;
        int flag = 0;
        detail::check(DRI_dist_equal(a.handle(), b.handle(), &flag));
        return flag == 1;
    }

private:
    template <class U, std::size_t M> friend class detail::Placement;

    static Gdo<T, N> gdo_of(DRI_Dist handle) {
        detail::Owned<DRI_Gdo, DRI_gdo_destroy> gdo;
        detail::check(DRI_dist_get_gdo(handle, gdo.out()));
        const auto found = Gdo<T, N>::adopt(gdo.get());
        gdo.give_up();
        return found;
    }

    auto blocks(int rank, int dim, std::int64_t n) const {
        return detail::Indexed(n, [dist = *this, rank, dim](std::int64_t i) {
            DRI_Block block;
            detail::check(DRI_dist_get_block(dist.handle(), rank, dim, i, &block));
            return block;
        });
    }

    std::vector<detail::Run> runs(int rank, int dim) const {
        return detail::owned_runs(handle(), rank, dim, rank == rank_);
    }

    detail::Shared<DRI_Dist, DRI_dist_destroy> kept_;
    Gdo<T, N> gdo_{typename Gdo<T, N>::Nothing{}};
    Group group_{Group::Nothing{}};
    Index<N> sizes_{};
    int rank_ = -1; // of the calling process; -1 outside the group
};

} // namespace v1
} // namespace dri
