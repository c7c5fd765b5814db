// Loops over domains and what lies over them, on the process that owns it.
//
//     dri::forall(all, [](auto at) { ... });                                  // each index that this process owns
//     dri::forall(dri::zip(all, x), [](auto at, double &x) { x = at[0]; });   // with its element
//     dri::forall(dri::zip(all, x), [](auto i, auto j, double &x) { ... });   // the index as numbers
//
// They send nothing. One element goes to one call; their order inside a process is free.
#pragma once

#include <dri/cpp/domain.hpp>
#include <dri/cpp/team.hpp>
#include <dri/cpp/zip_nest.hpp>

namespace dri {
inline namespace v1 {

// What a loop needs of an item of type X. A type of your own becomes an item by a specialisation:
//
//     static constexpr std::size_t dims;
//     static const Domain<dims> &domain(const X &);                   // whose places its elements have
//     static MemoryCursor<T, dims> cursor(X &, const Ranges<dims> &dense);
//
// It may have `static const Ranges<dims> &ranges(const X &)` if these cost less than its domain, which is asked
// for of the first item alone then. cursor() throws DRI_ERR_MISMATCH if this process does not hold the box of
// dense indices, or not evenly spaced.
template <class X> struct loop_item;

template <std::size_t N> struct loop_item<Domain<N>> {
    static constexpr std::size_t dims = N;
    static const Domain<N> &domain(const Domain<N> &x) { return x; }
    // The box lies in the domain: the leader has the same shape.
    static IndexCursor<N> cursor(const Domain<N> &x, const Ranges<N> &dense) {
        IndexCursor<N> found;
        for (std::size_t d = 0; d < N; ++d) {
            found.first[d] = detail::member_at(x.ranges()[d], dense[d].first);
            found.step[d] = x.ranges()[d].stride * dense[d].stride;
        }
        return found;
    }
};

namespace detail {

template <class X> using LoopItem = loop_item<std::remove_cvref_t<X>>;

// Items that a loop goes through side by side.
template <class... Items> struct Zip { std::tuple<Items...> items; };

template <std::size_t N> void require_shape(const Ranges<N> &item, const Ranges<N> &leader) {
    for (std::size_t d = 0; d < N; ++d)
        if (item[d].size != leader[d].size)
            fail(DRI_ERR_ARG, "forall(): along dimension " + std::to_string(d) + " the first item has " +
                                  std::to_string(leader[d].size) + " members, but another one has " +
                                  std::to_string(item[d].size));
}

template <class X> const auto &ranges_of_item(const X &item) {
    if constexpr (requires { LoopItem<X>::ranges(item); })
        return LoopItem<X>::ranges(item);
    else
        return LoopItem<X>::domain(item).ranges();
}

template <class F, class First, class... Rest> class Loop {
public:
    static constexpr std::size_t N = LoopItem<First>::dims;

    Loop(F &f, First &first, Rest &...rest) : f_(f), items_(first, rest...) {
        static_assert(takes<decltype(part(first)), decltype(part(rest))...>(),
                      "dri: the function of forall takes one argument for each item");
        const Ranges<N> &leader = ranges_of_item(first);
        (require_shape(ranges_of_item(rest), leader), ...);
    }

    const Domain<N> &leader() const { return LoopItem<First>::domain(std::get<0>(items_)); }

    // Throws for a chunk that an item does not hold.
    void check(const Ranges<N> &dense) const {
        std::apply([&](auto &...items) { (static_cast<void>(cursor(items, dense)), ...); }, items_);
    }
    [[gnu::always_inline]] void run(const Ranges<N> &dense) const {
        std::apply([&](auto &...items) { run_box(dense.sizes(), f_, cursor(items, dense)...); }, items_);
    }

private:
    template <class X> static auto cursor(X &item, const Ranges<N> &dense) {
        return LoopItem<X>::cursor(item, dense);
    }
    template <class X> static decltype(auto) part(X &item) {
        return cursor(item, Ranges<N>()).template row<true>()[0];
    }
    template <class... Parts> static constexpr bool takes() {
        if constexpr (std::is_invocable_v<F &, Parts...>)
            return true; // a generic function is not instantiated for numbers, too
        else
            return takes_spread<F, Parts...>;
    }

    F &f_;
    std::tuple<First &, Rest &...> items_;
};

template <class F, class... Items> void run_loop(const Loop<F, Items...> &loop) {
    const auto &chunks = loop.leader().own_chunks();
    if (chunks.size() > 1) // before the first step; that of a single chunk is made where it runs
        for (const auto &chunk : chunks)
            loop.check(chunk.dense);
    for (const auto &chunk : chunks)
        loop.run(chunk.dense);
}

template <class F, class... Items> void run_loop(Team &team, const Loop<F, Items...> &loop) {
    const auto &chunks = loop.leader().own_chunks(team.size());
    for (const auto &chunk : chunks)
        loop.check(chunk.dense);
    team.run([&](int task) {
        for (const auto &chunk : chunks)
            if (chunk.task == task)
                loop.run(chunk.dense);
    });
}

} // namespace detail

// Goes through several items side by side: the elements that have the same place. They have equal sizes.
template <class... Items> detail::Zip<Items...> zip(Items &&...items) {
    static_assert(sizeof...(Items) > 0, "dri: zip takes at least one item");
    constexpr std::array dims{detail::LoopItem<Items>::dims...};
    static_assert(((detail::LoopItem<Items>::dims == dims[0]) && ...),
                  "dri: the items of a zip have the same number of dimensions");
    return {std::tuple<Items...>(std::forward<Items>(items)...)};
}

// Calls f for all that this process owns of the first item, with an argument for each item: of a domain the index,
// as Index<N> or N integers, of others the element. All chunks are checked before the first call.
//
// Throws DRI_ERR_ARG if the items have different sizes, and DRI_ERR_MISMATCH if this process does not hold an
// item's element of an index that it owns of the first one.
template <class Item, class F>
requires requires { detail::LoopItem<Item>::dims; }
void forall(Item &&item, F &&f) {
    detail::run_loop(detail::Loop<std::remove_reference_t<F>, std::remove_reference_t<Item>>(f, item));
}

template <class... Items, class F> void forall(const detail::Zip<Items...> &zipped, F &&f) {
    std::apply(
        [&f](auto &...items) {
            detail::run_loop(detail::Loop<std::remove_reference_t<F>, std::remove_reference_t<decltype(items)>...>(
                f, items...));
        },
        zipped.items);
}

// The same on a team: each task has its own chunks, and f is called at the same time for several elements. Throws
// what the first call has thrown, when all tasks have ended.
template <class Item, class F>
requires requires { detail::LoopItem<Item>::dims; }
void forall(Team &team, Item &&item, F &&f) {
    detail::run_loop(team, detail::Loop<std::remove_reference_t<F>, std::remove_reference_t<Item>>(f, item));
}

template <class... Items, class F> void forall(Team &team, const detail::Zip<Items...> &zipped, F &&f) {
    std::apply(
        [&](auto &...items) {
            detail::run_loop(team,
                             detail::Loop<std::remove_reference_t<F>, std::remove_reference_t<decltype(items)>...>(
                                 f, items...));
        },
        zipped.items);
}

} // namespace v1
} // namespace dri
