// Maps of the user's own: classes that say who owns an index, as the functions that the library calls.
#pragma once

#include <dri/cpp/assignment.hpp>
#include <dri/map.h>

#include <algorithm>
#include <concepts>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace dri {
inline namespace v1 {

// A class that is a map of N dimensions: `int owner(Index<N>) const` is the position in the group of the process
// that owns an index. It answers alike on every process and on any thread. It may have, and then they are used:
//
//     std::vector<Ranges<N>> local(int position, const Ranges<N> &whole) const; // what a position owns of `whole`
//     bool known(const Assignment &) const;                                     // does it, or declines: false
//     bool any(const Assignment &) const;
//     bool operator==(const M &) const;
//     std::string describe() const;
//     std::vector<std::byte> pack() const;
//     static M unpack(std::span<const std::byte>);
//     static constexpr const char *name = "...";                                // for messages
//
// Only `known` and `any` may call the library. See DRI_Map_ops. An exception in one of them reaches the caller of
// the library as it was thrown.
template <class M, std::size_t N>
concept DomainMap = requires(const M &map, const Index<N> &index) {
    { map.owner(index) } -> std::convertible_to<int>;
};

namespace detail {

template <class M, std::size_t N> constexpr std::size_t first_dims() {
    static_assert(N <= DRI_MAX_DIMS, "dri: a map has int owner(Index<N>) const, for an N from 1 to 8");
    if constexpr (N > DRI_MAX_DIMS || DomainMap<M, N>)
        return N;
    else
        return first_dims<M, N + 1>();
}
// The number of dimensions of a user's map.
template <class M> inline constexpr std::size_t dims_of = first_dims<M, 1>();

// The functions of a map M. The context is an M.
template <class M, std::size_t N> struct UserMap {
    static DRI_Map_ops ops() {
        DRI_Map_ops ops{};
        ops.bytes = sizeof ops;
        if constexpr (requires {
                          { M::name } -> std::convertible_to<const char *>;
                      })
            ops.name = M::name;
        ops.owner = owner;
        if constexpr (requires(const M &map, const Ranges<N> &whole) { map.local(0, whole); })
            ops.local = local;
        if constexpr (requires(const M &map, const Assignment &a) {
                          { map.known(a) } -> std::same_as<bool>;
                      })
            ops.known = [](void *ctx, const DRI_Assignment *asked, int *done) {
                return guarded([&] { *done = of(ctx).known(Assignment(*asked)); });
            };
        if constexpr (requires(const M &map, const Assignment &a) {
                          { map.any(a) } -> std::same_as<bool>;
                      })
            ops.any = [](void *ctx, const DRI_Assignment *asked, int *done) {
                return guarded([&] { *done = of(ctx).any(Assignment(*asked)); });
            };
        if constexpr (std::equality_comparable<M>)
            ops.equal = [](void *a, void *b, int *flag) { return guarded([&] { *flag = of(a) == of(b); }); };
        if constexpr (requires(const M &map) { std::string(map.describe()); })
            ops.describe = describe;
        if constexpr (requires(const M &map) {
                          { M::unpack(std::span<const std::byte>(map.pack())) } -> std::same_as<M>;
                      }) {
            ops.pack = pack;
            ops.unpack = [](const void *bytes, std::size_t n, void **ctx) {
                return guarded([&] { *ctx = new M(M::unpack({static_cast<const std::byte *>(bytes), n})); });
            };
        }
        ops.destroy = [](void *ctx) { delete static_cast<M *>(ctx); };
        return ops;
    }

private:
    static const M &of(void *ctx) { return *static_cast<const M *>(ctx); }

    static int owner(void *ctx, const std::int64_t index[], int *position) {
        return guarded([&] {
            Index<N> at;
            std::copy_n(index, N, at.begin());
            *position = of(ctx).owner(at);
        });
    }

    static int local(void *ctx, int position, const DRI_Range whole[], std::int64_t most, DRI_Range boxes[],
                     std::int64_t *n) {
        return guarded([&] {
            const std::vector<Ranges<N>> found = of(ctx).local(position, ranges_of<N>(whole));
            *n = static_cast<std::int64_t>(found.size());
            const auto written = std::min(found.size(), static_cast<std::size_t>(most));
            for (std::size_t i = 0; i < written; ++i)
                std::copy_n(found[i].data(), N, boxes + i * N);
        });
    }

    static int describe(void *ctx, char *text, std::size_t n) {
        return guarded([&] {
            const std::string all = of(ctx).describe();
            text[all.copy(text, n - 1)] = '\0';
        });
    }

    static int pack(void *ctx, void *bytes, std::size_t n, std::size_t *needed) {
        return guarded([&] {
            const std::vector<std::byte> all = of(ctx).pack();
            *needed = all.size();
            if (!all.empty() && all.size() <= n)
                std::memcpy(bytes, all.data(), all.size());
        });
    }
};

} // namespace detail
} // namespace v1
} // namespace dri
