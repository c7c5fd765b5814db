// Domains: ranges over a map.
#pragma once

#include <dri/cpp/chunks.hpp>
#include <dri/cpp/map.hpp>
#include <dri/domain.h>

#include <concepts>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>

namespace dri {
inline namespace v1 {

// The indices of N ranges, and which process owns each of them. Copies share one handle. Without a rank, questions
// are about the calling process, which owns nothing outside the map's group. All calls are Local except dist() and
// set(). A domain is a random-access range of its members in their order: numbers for N = 1, otherwise Index<N>.
template <std::size_t N> class Domain : detail::Dims<N> {
public:
    // See DRI_domain_create.
    Domain(const Map<N> &map, const Ranges<N> &ranges) {
        DRI_Domain domain;
        detail::check(DRI_domain_create(map.handle(), DRI_RECTANGULAR, ranges.data(), &domain));
        state_ = std::make_shared<State>(domain, ranges);
        renew();
    }

    // Blocks, one for each process of the world.
    explicit Domain(const Ranges<N> &ranges) : Domain(block_map(ranges), ranges) {}

    // Takes over a handle of the C interface. Throws DRI_ERR_ARG for another number of dimensions; the handle
    // stays the caller's then.
    static Domain adopt(DRI_Domain handle) {
        int ndims = 0;
        std::array<DRI_Range, DRI_MAX_DIMS> ranges{};
        detail::check(DRI_domain_get_ranges(handle, &ndims, ranges.data()));
        if (ndims != static_cast<int>(N))
            detail::fail(DRI_ERR_ARG, "adopt(): the domain has " + std::to_string(ndims) + " dimensions, not " +
                                          std::to_string(N));
        Domain domain;
        domain.state_ = std::make_shared<State>(handle, detail::ranges_of<N>(ranges.data()));
        domain.renew();
        return domain;
    }

    // Writes the domain with its map as bytes, of which unpack() makes it again. See Map::pack().
    std::vector<std::byte> pack() const {
        std::size_t n = 0;
        detail::check(DRI_domain_pack(handle(), nullptr, 0, &n));
        std::vector<std::byte> bytes(n);
        detail::check(DRI_domain_pack(handle(), bytes.data(), n, nullptr));
        return bytes;
    }
    static Domain unpack(std::span<const std::byte> bytes) { return unpack_by(bytes, nullptr); }
    template <class M> static Domain unpack(std::span<const std::byte> bytes) {
        const DRI_Map_ops ops = detail::UserMap<M, N>::ops();
        return unpack_by(bytes, &ops);
    }

    DRI_Domain handle() const noexcept { return state_->kept.get(); }
    const Ranges<N> &ranges() const noexcept { return state_->members.ranges; }

    // Iterators are valid as long as a copy of the domain, and until set().
    using iterator = detail::CountedIterator<detail::Members<N>>;
    iterator begin() const { return {state_->members, 0}; }
    iterator end() const { return {state_->members, ranges().size()}; }

    std::int64_t size() const {
        std::int64_t n = 0;
        detail::check(DRI_domain_get_size(handle(), &n));
        return n;
    }
    Map<N> map() const {
        DRI_Map map;
        detail::check(DRI_domain_get_map(handle(), &map));
        return Map<N>::adopt(map);
    }
    Domain clone() const {
        DRI_Domain made;
        detail::check(DRI_domain_clone(handle(), &made));
        return adopt(made);
    }

    // The range of a dimension.
    const Range &dim(std::size_t d) const { return ranges()[d]; }
    static constexpr std::size_t dims() noexcept { return N; }
    // The smallest and the largest member along each dimension, if there are members, and the strides.
    std::optional<Index<N>> low() const {
        return each([](const Range &r) { return r.low(); });
    }
    std::optional<Index<N>> high() const {
        return each([](const Range &r) { return r.high(); });
    }
    Index<N> stride() const {
        Index<N> found{};
        for (std::size_t d = 0; d < N; ++d)
            found[d] = dim(d).stride;
        return found;
    }

    // What some ranges have in common with those of the domain, in their direction, over the same map.
    Domain operator[](const Ranges<N> &ranges) const {
        Ranges<N> both;
        for (std::size_t d = 0; d < N; ++d)
            both[d] = common(ranges[d], dim(d));
        return Domain(map(), both);
    }

    // An index of one dimension may be a number.
    bool contains(const Index<N> &index) const { return ranges().contains(index); }
    template <std::integral I> bool contains(I index) const requires(N == 1) {
        return dim(0).contains(static_cast<std::int64_t>(index));
    }
    // The place of an index in row-major order, or -1 for an index that is no member, and the member at a place.
    std::int64_t order(const Index<N> &index) const {
        std::int64_t place = -1;
        detail::check(DRI_domain_order(handle(), index.data(), &place));
        return place;
    }
    template <std::integral I> std::int64_t order(I index) const requires(N == 1) {
        return order(Index<1>{static_cast<std::int64_t>(index)});
    }
    Index<N> index(std::int64_t order) const {
        Index<N> found{};
        detail::check(DRI_domain_index(handle(), order, found.data()));
        return found;
    }

    // The rank of the process that owns a member.
    int owner(const Index<N> &index) const {
        int rank = 0;
        detail::check(DRI_domain_owner(handle(), index.data(), &rank));
        return rank;
    }
    template <std::integral I> int owner(I index) const requires(N == 1) {
        return owner(Index<1>{static_cast<std::int64_t>(index)});
    }

    // What a process owns, as disjoint boxes of members: a random-access range of Ranges<N>.
    auto boxes(int rank) const {
        std::int64_t n = 0;
        detail::check(DRI_domain_num_boxes(handle(), rank, &n));
        return boxes(rank, n);
    }
    auto boxes() const { return rank() < 0 ? boxes(0, 0) : boxes(rank()); }

    // What a process owns, over the same map: no members if it owns nothing. Throws DRI_ERR_UNSUPPORTED if it has
    // several boxes, which boxes() lists.
    Domain local(int rank) const { return Domain(map(), one_box(boxes(rank))); }
    Domain local() const { return Domain(map(), one_box(boxes())); }

    // The number of members that a process owns, and of elements that its local array holds.
    std::int64_t owned(int rank) const {
        std::int64_t found = 0;
        detail::check(DRI_domain_get_count(handle(), rank, &found, nullptr));
        return found;
    }
    std::int64_t owned() const { return rank() < 0 ? 0 : owned(rank()); }
    std::int64_t held(int rank) const {
        std::int64_t found = 0;
        detail::check(DRI_domain_get_count(handle(), rank, nullptr, &found));
        return found;
    }
    std::int64_t held() const { return rank() < 0 ? 0 : held(rank()); }

    // The place of a member in a process's local array, and the member at a place.
    std::int64_t local_index(int rank, const Index<N> &index) const {
        std::int64_t offset = 0;
        detail::check(DRI_domain_local_index(handle(), rank, index.data(), &offset));
        return offset;
    }
    Index<N> global_index(int rank, std::int64_t offset) const {
        Index<N> index{};
        detail::check(DRI_domain_global_index(handle(), rank, offset, index.data()));
        return index;
    }

    // The leader: what a process owns, cut for a number of tasks. See DRI_domain_num_chunks.
    std::vector<Chunk<N>> chunks(int tasks, int rank) const {
        const std::int64_t n = num_chunks(tasks, rank);
        std::vector<Chunk<N>> all;
        all.reserve(static_cast<std::size_t>(n));
        for (std::int64_t i = 0; i < n; ++i)
            all.push_back(chunk(tasks, rank, i));
        return all;
    }
    std::vector<Chunk<N>> chunks(int tasks = 1) const {
        return rank() < 0 ? std::vector<Chunk<N>>() : chunks(tasks, rank());
    }

    // The follower: the indices of any chunk of a domain of the same shape, row-major; a random-access range.
    auto follow(const Chunk<N> &chunk) const { return follow(chunk.dense); }
    auto follow(const Ranges<N> &dense) const { return undensify(dense, ranges()).indices(); }
    // The same for any sequences of dense indices, one for each dimension.
    auto follow(const std::array<std::vector<std::int64_t>, N> &dense) const {
        return detail::indices_along(dense, ranges());
    }

    // The chunks of the calling process for one task, or for several. They are made once.
    const std::vector<Chunk<N>> &own_chunks() const {
        std::call_once(*state_->chunked, [this] { state_->chunks = chunks(1); });
        return state_->chunks;
    }
    const std::vector<Chunk<N>> &own_chunks(int tasks) const {
        const std::lock_guard lock(state_->mutex);
        const auto found = state_->chunks_of.find(tasks);
        return found != state_->chunks_of.end() ? found->second
                                                : state_->chunks_of.emplace(tasks, chunks(tasks)).first->second;
    }

    // Gives the domain other ranges, and another map, and so its copies. Its arrays follow: they keep the element
    // at each index that both have. No other thread uses them meanwhile. After a failure all is as before.
    // Collective over the processes of both maps; synchronising. See DRI_domain_set.
    void set(const Ranges<N> &ranges) { set_by(DRI_Map{}, ranges); }
    void set(const Map<N> &map, const Ranges<N> &ranges) { set_by(map.handle(), ranges); }

    // The ranges, as "{1..2, 1..9 by 2}"; and with the map's rule and the boxes of each process.
    std::string text() const {
        return detail::whole_text(
            [this](char *text, std::size_t n) { return DRI_domain_text(handle(), text, n); });
    }
    std::string describe() const {
        return detail::whole_text(
            [this](char *text, std::size_t n) { return DRI_domain_describe(handle(), text, n); });
    }

    // Checks the map on all members. For tests of maps. See DRI_domain_check.
    void check() const { detail::check(DRI_domain_check(handle())); }

    // The distribution of elements T by their dense indices, for endpoints. Throws DRI_ERR_ARG if it has another
    // number of dimensions, for some users' maps. Collective over the map's processes; synchronising. See
    // DRI_domain_get_dist.
    template <class T> Dist<T, N> dist() const {
        const detail::ElementType<T> type;
        detail::Owned<DRI_Dist, DRI_dist_destroy> made;
        detail::check(DRI_domain_get_dist(handle(), type.get(), made.out()));
        const auto found = Dist<T, N>::adopt(made.get());
        made.give_up();
        return found;
    }

    // Writes text().
    friend std::ostream &operator<<(std::ostream &out, const Domain &domain) { return out << domain.text(); }

    // Whether both have equal maps and the same ranges. See DRI_domain_equal.
    friend bool operator==(const Domain &a, const Domain &b) {
        int flag = 0;
        detail::check(DRI_domain_equal(a.handle(), b.handle(), &flag));
        return flag == 1;
    }

private:
    // What copies share.
    struct State {
        State(DRI_Domain domain, const Ranges<N> &of) : kept(domain), members{of} {}
        detail::Shared<DRI_Domain, DRI_domain_destroy> kept;
        detail::Members<N> members;
        int rank = -1; // of the calling process; -1 outside the map's group
        std::optional<std::once_flag> chunked;
        std::vector<Chunk<N>> chunks;
        std::mutex mutex;                               // of the next one
        std::map<int, std::vector<Chunk<N>>> chunks_of; // so many tasks
        std::uint64_t changes = 0;                      // how often set() has changed it
    };
    template <class, std::size_t> friend class Array;
    Domain() = default;

    int rank() const { return state_->rank; }
    template <class Get> std::optional<Index<N>> each(const Get &get) const {
        Index<N> found{};
        for (std::size_t d = 0; d < N; ++d) {
            const std::optional<std::int64_t> one = get(dim(d));
            if (!one)
                return std::nullopt;
            found[d] = *one;
        }
        return found;
    }
    // A count that changes with each set(). It lives as long as its pointer.
    std::shared_ptr<const std::uint64_t> changes() const { return {state_, &state_->changes}; }

    static Domain unpack_by(std::span<const std::byte> bytes, const DRI_Map_ops *ops) {
        detail::Owned<DRI_Domain, DRI_domain_destroy> made;
        detail::check(DRI_domain_unpack(bytes.data(), bytes.size(), ops, made.out()));
        const Domain domain = adopt(made.get());
        made.give_up();
        return domain;
    }

    void set_by(DRI_Map map, const Ranges<N> &ranges) {
        detail::check(DRI_domain_set(handle(), map, ranges.data()));
        state_->members.ranges = ranges;
        ++state_->changes;
        renew();
    }
    void renew() {
        state_->chunks.clear();
        state_->chunks_of.clear();
        state_->chunked.emplace();
        state_->rank = -1;
        if (map().group().position() >= 0)
            detail::check(DRI_world_rank(&state_->rank));
    }

    auto boxes(int rank, std::int64_t n) const {
        return detail::Indexed(n, [domain = *this, rank](std::int64_t i) {
            std::array<DRI_Range, N> box{};
            detail::check(DRI_domain_get_box(domain.handle(), rank, i, box.data()));
            return detail::ranges_of<N>(box.data());
        });
    }
    template <class Boxes> Ranges<N> one_box(const Boxes &boxes) const {
        if (boxes.size() > 1)
            detail::fail(DRI_ERR_UNSUPPORTED, "local(): the process has " + std::to_string(boxes.size()) +
                                                  " boxes of the domain: use boxes()");
        if (boxes.size() == 1)
            return boxes[0];
        Ranges<N> none = ranges();
        for (std::size_t d = 0; d < N; ++d)
            none[d].size = 0;
        return none;
    }
    std::int64_t num_chunks(int tasks, int rank) const {
        std::int64_t n = 0;
        detail::check(DRI_domain_num_chunks(handle(), rank, tasks, &n));
        return n;
    }
    Chunk<N> chunk(int tasks, int rank, std::int64_t i) const {
        std::array<DRI_Range, N> dense{};
        int task = 0;
        detail::check(DRI_domain_get_chunk(handle(), rank, tasks, i, dense.data(), &task));
        return {detail::ranges_of<N>(dense.data()), task};
    }

    std::shared_ptr<State> state_;
};

// The dense indices in a domain of the members of another one, and a part of a domain by its dense indices.
template <std::size_t N> Ranges<N> densify(const Domain<N> &sub, const Domain<N> &whole) {
    return densify(sub.ranges(), whole.ranges());
}
template <std::size_t N> Domain<N> undensify(const Ranges<N> &dense, const Domain<N> &whole) {
    return Domain<N>(whole.map(), undensify(dense, whole.ranges()));
}

} // namespace v1
} // namespace dri
