// Assignments whose plan is made in the call, and what changes with a domain, beside the calls that this takes
// alone.
#include "contest.hpp"
#include "world.hpp"

#include <dri/dri.hpp>

namespace domain_bench {

namespace {

// Two arrays of one shape whose plans are not kept.
struct Couple {
    dri::Ranges<2> plate{dri::range(0, 1024), dri::range(0, 1024)};
    dri::Domain<2> left{dri::block_cyclic_map({0, 0}, {64, 64}), plate}, right{dri::block_map(plate), plate};
    dri::Array<double, 2> to{left}, from{right};
    std::vector<double> own_to = std::vector<double>(static_cast<std::size_t>(left.held())),
                        own_from = std::vector<double>(static_cast<std::size_t>(right.held()));
    Couple() { to.plans(0); }

    // The rules of what the two domains are.
    static DRI_Dist make_dist(const dri::Domain<2> &domain, bool cyclic) {
        const int64_t sizes[]{1024, 1024};
        const auto grid = domain.map().grid();
        DRI_Part_dim rules[2]{};
        for (int d = 0; d < 2; ++d) {
            rules[d].kind = cyclic ? DRI_BLOCK_CYCLIC : DRI_BLOCK;
            rules[d].block = cyclic ? 64 : 0;
            rules[d].nparts = grid[static_cast<std::size_t>(d)];
        }
        DRI_Gdo gdo{};
        DRI_Part part{};
        DRI_Dist dist{};
        bench::check(DRI_gdo_create(2, DRI_DOUBLE, sizes, &gdo));
        bench::check(DRI_part_create_rule(2, rules, &part));
        bench::check(DRI_dist_create(gdo, part, dri::world().handle(), &dist));
        bench::check(DRI_part_destroy(&part));
        bench::check(DRI_gdo_destroy(&gdo));
        return dist;
    }
    void by_hand() {
        DRI_Dist dists[]{make_dist(left, true), make_dist(right, false)};
        DRI_Xfer ends[2]{};
        void *buffers[]{own_to.data(), own_from.data()};
        for (int i = 0; i < 2; ++i)
            bench::check(DRI_xfer_create("first", i == 0 ? DRI_SINK : DRI_SOURCE, dists[i], DRI_ROW_MAJOR, 1,
                                         &buffers[i], &ends[i]));
        bench::check(DRI_commit_ends(dri::world().handle(), 2, ends));
        bench::check(DRI_do("first", DRI_XFER_NULL));
        for (int i = 0; i < 2; ++i) {
            bench::check(DRI_xfer_destroy(&ends[i]));
            bench::check(DRI_dist_destroy(&dists[i]));
        }
    }
};

Pair first() {
    const auto c = std::make_shared<Couple>();
    return {.ours = [c] { c->to = c->from; }, .theirs = [c] { c->by_hand(); }};
}

// A domain that becomes smaller and larger again, with one array that follows.
struct Changing {
    dri::Ranges<2> plate{dri::range(0, 1024), dri::range(0, 1024)}, part{dri::range(0, 1024), dri::range(0, 1000)};
    dri::Domain<2> domain{plate}, other{plate}, smaller{part};
    dri::Array<double, 2> array{domain}, whole{other};
};

Pair change() {
    const auto c = std::make_shared<Changing>();
    return {.ours =
                [c] {
                    c->domain.set(c->part);
                    c->domain.set(c->plate);
                },
            .theirs =
                [c] {
                    // The same with new arrays and first assignments.
                    const dri::Domain<2> part(c->other.map(), c->part);
                    dri::Array<double, 2> less(part);
                    less = std::as_const(c->whole)[c->part];
                    dri::Array<double, 2> more(c->other);
                    more[c->part] = less;
                }};
}

} // namespace

std::vector<Contest> first_assignments() {
    return {
        {"first assignment, 1024 x 1024", "its DRI_dist_create, commit and DRI_do", 1.1, 0, first},
        {"Domain::set, there and back, 1024 x 1024", "new arrays and assignments", 1.1, 0, change},
    };
}

} // namespace domain_bench
