// Pieces with one row of their neighbours at either side.
#include "arrays/by_hand.hpp"
#include "arrays/row.hpp"

#include <dri/dri.hpp>

#include <memory>

namespace array_bench {

namespace {

constexpr std::int64_t rows_of_each = 8;

struct Both {
    explicit Both(std::int64_t columns)
        : n(rows_of_each * bench::world().size), array({n, columns}), hand(n, columns) {
        const std::int64_t first = hand.rows().first, end = first + hand.rows().count;
        const std::int64_t from = std::max<std::int64_t>(first - 1, 0), to = std::min(end + 1, n);
        target = dri::Box<2>({from, 0}, {to - from, columns});
        dri::forall(dri::zip(array.domain(), array), [&](const dri::Index<2> &at, double &x) {
            x = static_cast<double>(at[0] * columns + at[1]);
            hand.row(at[0] - first)[at[1]] = x;
        });
        piece.emplace(array.repartition(target));
    }

    // Elements of halos that are not what their owner has. Halos are spoilt first.
    std::int64_t count_wrong() {
        std::int64_t wrong = 0;
        const auto parts = piece->parts();
        for (const std::size_t k : {std::size_t{0}, std::size_t{2}}) {
            const auto &halo = parts[k];
            for (std::int64_t j = 0; halo.extent(0) > 0 && j < halo.extent(1); ++j) {
                const double is = static_cast<double>(halo.ranges()[0].first * halo.extent(1) + j);
                wrong += halo(0, j) != is || hand.row(k == 0 ? -1 : hand.rows().count)[j] != is;
            }
        }
        return wrong;
    }
    void spoil() {
        const auto parts = piece->parts();
        for (const std::size_t k : {std::size_t{0}, std::size_t{2}})
            for (std::int64_t j = 0; parts[k].extent(0) > 0 && j < parts[k].extent(1); ++j)
                parts[k](0, j) = -1;
    }

    std::int64_t n;
    dri::Array<double, 2> array;
    HandField hand;
    dri::Box<2> target;
    std::optional<dri::Piece<double, 2>> piece;
};

Row updated(std::int64_t bytes, double goal, double goal_us) {
    auto both = std::make_shared<Both>(bytes / std::int64_t{sizeof(double)});
    Row row;
    row.name = "piece updated, rows of " + std::to_string(bytes) + " B";
    row.peer = "Isend, Irecv, Waitall";
    row.goal = goal;
    row.goal_us = goal_us;
    row.most_seconds = 2e-6 + static_cast<double>(bytes) * 1e-9;
    row.by_dri = [both](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i)
            both->piece->update_overlap();
    };
    row.by_hand = [both](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i)
            both->hand.exchange();
    };
    row.wrong = [both] {
        both->spoil();
        both->piece->update_overlap();
        return both->count_wrong();
    };
    return row;
}

Row again() {
    auto both = std::make_shared<Both>(512);
    Row row;
    row.name = "repartition again, rows of 4096 B";
    row.peer = "piece updated";
    row.goal_us = 1;
    row.most_seconds = 3e-6;
    row.by_dri = [both](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i)
            both->piece.emplace(both->array.repartition(both->target));
    };
    row.by_hand = [both](std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i)
            both->piece->update_overlap();
    };
    row.wrong = [both] {
        both->hand.exchange();
        both->spoil();
        both->piece.emplace(both->array.repartition(both->target));
        return both->count_wrong();
    };
    return row;
}

} // namespace

std::vector<std::function<Row()>> piece_rows() {
    return {[] { return updated(512, 0, 0.3); }, [] { return updated(4096, 1.0, 0); },
            [] { return updated(32768, 0.6, 0); }, [] { return updated(1048576, 0.7, 0); }, again};
}

} // namespace array_bench
