// Arrays that are made, and arrays as text.
#include "contest.hpp"
#include "world.hpp"

#include <dri/dri.hpp>
#include <mpi.h>

#include <charconv>
#include <cstring>
#include <sstream>

namespace domain_bench {

namespace {

struct Making {
    dri::Ranges<2> plate{dri::range(0, 1024), dri::range(0, 1024)};
    dri::Domain<2> domain{plate};

    void ours() const {
        const dri::Array<double, 2> array(domain);
        use(array);
    }
    void by_hand() const {
        const int64_t sizes[]{1024, 1024};
        const auto grid = domain.map().grid();
        DRI_Part_dim rules[2]{};
        for (int d = 0; d < 2; ++d) {
            rules[d].kind = DRI_BLOCK;
            rules[d].nparts = grid[static_cast<std::size_t>(d)];
        }
        DRI_Gdo gdo{};
        DRI_Part part{};
        DRI_Dist dist{};
        void *memory = nullptr;
        bench::check(DRI_gdo_create(2, DRI_DOUBLE, sizes, &gdo));
        bench::check(DRI_part_create_rule(2, rules, &part));
        bench::check(DRI_dist_create(gdo, part, dri::world().handle(), &dist));
        bench::check(
            DRI_alloc(static_cast<std::size_t>(domain.held()) * sizeof(double), alignof(double), &memory));
        use(memory);
        bench::check(DRI_free(memory));
        bench::check(DRI_dist_destroy(&dist));
        bench::check(DRI_part_destroy(&part));
        bench::check(DRI_gdo_destroy(&gdo));
    }
};

Pair make() {
    const auto m = std::make_shared<Making>();
    return {.ours = [m] { m->ours(); }, .theirs = [m] { m->by_hand(); }};
}

// A plate in rows, as text on the first process.
struct Writing {
    static constexpr int64_t side = 1000;
    dri::Ranges<2> plate{dri::range(0, side), dri::range(0, side)};
    dri::Domain<2> domain{dri::Map<2>({dri::MapDim::block(plate[0]), dri::MapDim::whole()}), plate};
    dri::Array<double, 2> array{domain};
    std::vector<int> counts, starts;
    std::vector<double> all;
    std::string ours, by_hand;

    Writing() {
        dri::forall(dri::zip(domain, array),
                    [](auto at, double &x) { x = 1.0 / static_cast<double>(1 + at[0] + 3 * at[1]); });
        int start = 0;
        for (int q = 0; q < bench::world().size; ++q) {
            counts.push_back(static_cast<int>(domain.owned(q)));
            starts.push_back(start);
            start += counts.back();
        }
        if (bench::world().is_first())
            all.resize(static_cast<std::size_t>(start));
    }
    void write() {
        ours.clear();
        bench::check(DRI_array_write(
            array.handle(),
            [](void *to, const char *text, std::size_t n) -> int {
                static_cast<std::string *>(to)->append(text, n);
                return DRI_SUCCESS;
            },
            &ours));
    }
    void write_by_hand() {
        const DRI_View *view = nullptr;
        bench::check(DRI_array_view(array.handle(), 0, &view));
        MPI_Gatherv(view->data, counts[static_cast<std::size_t>(bench::world().rank)], MPI_DOUBLE, all.data(),
                    counts.data(), starts.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
        by_hand.clear();
        char number[32];
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto end = std::to_chars(number, number + sizeof number, all[i]).ptr;
            by_hand.append(number, end);
            by_hand.push_back((i + 1) % side == 0 ? '\n' : ' ');
        }
    }
};

Pair write() {
    const auto w = std::make_shared<Writing>();
    return {.ours = [w] { w->write(); },
            .theirs = [w] { w->write_by_hand(); },
            .fault = [w] { return std::string(w->ours == w->by_hand ? "" : "the texts differ"); }};
}

} // namespace

std::vector<Contest> arrays() {
    return {
        {"an array of 1024 x 1024", "DRI_dist_create and DRI_alloc", 1.1, 0, make},
        {"text of 10^6 doubles", "MPI_Gatherv and the same text", 1.5, 0, write},
    };
}

} // namespace domain_bench
