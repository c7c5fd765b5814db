// Questions about domains: owners, members, and what a user's map that only knows owners has.
#include "contest.hpp"
#include "world.hpp"

#include <dri/dri.hpp>

namespace domain_bench {

namespace {

constexpr int64_t side = 300; // questions are about side * side indices
const dri::Ranges<2> plate(dri::range(0, side), dri::range(0, side));

// Owners of all indices, one call each.
Pair ask_owners(dri::Map<2> map) {
    const auto domain = keep(dri::Domain<2>(map, plate));
    return {.ours =
                [domain] {
                    int64_t sum = 0;
                    for (int64_t i = 0; i < side; ++i)
                        for (int64_t j = 0; j < side; ++j)
                            sum += domain->owner({i, j});
                    use(sum);
                },
            .operations = side * side};
}

// Pieces of rows, in the order of the processes.
dri::Map<2> map_of_pieces() {
    const int64_t p = bench::world().size, rank = bench::world().rank;
    const int64_t first = side * rank / p, last = side * (rank + 1) / p;
    const DRI_Part_tuple tuples[]{{0, first, last, 0}, {0, 0, side, 0}};
    const int64_t sizes[]{side, side};
    DRI_Part part{};
    DRI_Gdo gdo{};
    DRI_Dist dist{};
    bench::check(DRI_part_create(2, tuples, &part));
    bench::check(DRI_gdo_create(2, DRI_DOUBLE, sizes, &gdo));
    bench::check(DRI_dist_create(gdo, part, dri::world().handle(), &dist));
    bench::check(DRI_part_destroy(&part));
    bench::check(DRI_gdo_destroy(&gdo));
    return dri::dist_map(dri::Dist<double, 2>::adopt(dist));
}

// The compiler must compute the value now, and does not vectorise the loop.
void pin(int64_t &value) { asm volatile("" : "+r"(value)); }

Pair ask_members() {
    const auto domain = keep(dri::Domain<2>(dri::block_map(plate), plate));
    const auto all = keep(plate);
    return {.ours =
                [domain] {
                    int64_t n = 0;
                    for (int64_t i = -8; i < side + 8; ++i)
                        for (int64_t j = -8; j < side + 8; ++j) {
                            n += domain->contains({i, j});
                            pin(n);
                        }
                },
            .theirs =
                [all] {
                    int64_t n = 0;
                    use(*all);
                    const int64_t lo0 = (*all)[0].first, hi0 = lo0 + (*all)[0].size;
                    const int64_t lo1 = (*all)[1].first, hi1 = lo1 + (*all)[1].size;
                    for (int64_t i = -8; i < side + 8; ++i)
                        for (int64_t j = -8; j < side + 8; ++j) {
                            n += i >= lo0 && i < hi0 && j >= lo1 && j < hi1;
                            pin(n);
                        }
                },
            .operations = (side + 16) * (side + 16)};
}

// Bands of rows whose widths are no rule.
struct Bands {
    int processes;
    int owner(const dri::Index<2> &at) const { return static_cast<int>((at[0] * at[0] / 64) % processes); }
};

Pair ask_every_owner() {
    constexpr int64_t rows = 1000, columns = 1000;
    const auto map = keep(dri::Map<2>(Bands{bench::world().size}, dri::world()));
    return {.ours =
                [map] {
                    const dri::Domain<2> domain(*map, {dri::range(0, rows), dri::range(0, columns)});
                    use(domain.owned());
                },
            .operations = rows * columns};
}

} // namespace

std::vector<Contest> queries() {
    return {
        {"owner, blocks", "", 1, 0.1, [] { return ask_owners(dri::block_map(plate)); }},
        {"owner, cyclic blocks", "", 1, 0.1,
         [] {
             return ask_owners(dri::block_cyclic_map({0, 0}, {3, 5}));
         }},
        {"owner, exact pieces", "", 1, 0.1, [] { return ask_owners(map_of_pieces()); }},
        {"contains", "two comparisons a dimension", 1.1, 0, ask_members},
        {"boxes of a user's map, an index", "", 1, 0.05, ask_every_owner},
    };
}

} // namespace domain_bench
