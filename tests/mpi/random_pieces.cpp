// Random repartitions, with subviews of their pieces and operations on them. The oracle has all elements of the
// array on every process. RC_PARAMS=max_success=10000 sets the number of cases.
#include "support/library.hpp"
#include "support/random_arrays.hpp"
#include "support/random_cases.hpp"

#include <algorithm>

namespace dri::test {
namespace {

std::string text_of_box(const DRI_Box &box, size_t n) {
    std::string text;
    for (size_t d = 0; d < n; ++d)
        text += " " + std::to_string(box.offset[d]) + "+" + std::to_string(box.size[d]);
    return text;
}

// A view of an array by slices of slices: element of position i along d is whole.at(first + i * step).
struct Positions {
    Indices first, step, shape;
    double value(Whole &whole, const Indices &at) const {
        Indices index;
        for (size_t d = 0; d < at.size(); ++d)
            index.push_back(first[d] + at[d] * step[d]);
        return whole.at(index);
    }
};

DRI_Box random_target(Dice &dice, const Indices &shape) {
    DRI_Box box{};
    for (size_t d = 0; d < shape.size(); ++d) {
        box.offset[d] = dice.range(0, shape[d]);
        box.size[d] = dice.chance(10) ? 0 : dice.range(0, shape[d] - box.offset[d]);
    }
    return box;
}

DRI_Range random_slice(Dice &dice, int64_t n) {
    const int64_t size = dice.range(0, n),
                  step = dice.range(1, size > 1 ? std::min<int64_t>(3, (n - 1) / (size - 1)) : 3);
    return {dice.range(0, n - 1 - (size > 0 ? (size - 1) * step : 0)), step, size};
}

// Compares the elements of all parts with what `wanted` says of their positions. held: the positions of the piece.
template <class Wanted> std::string compare(DRI_Array piece, const DRI_Box &held, const Wanted &wanted) {
    int nparts = 0;
    DRI_View parts[3];
    Indices loffs(DRI_MAX_DIMS);
    expect_success(DRI_array_get_parts(piece, &nparts, parts), "DRI_array_get_parts");
    expect_success(DRI_array_get_loffs(piece, loffs.data()), "DRI_array_get_loffs");
    const auto n = static_cast<size_t>(parts[0].ndims);
    int64_t row = loffs[0], rows = 0;
    bool is_empty = false;
    for (size_t d = 0; d < n; ++d)
        is_empty = is_empty || held.size[d] == 0;
    for (const DRI_View &part : parts) {
        Ranges places;
        for (size_t d = 0; d < n; ++d)
            places.push_back({0, 1, part.range[d].size});
        const auto all = tuples_of(places);
        for (const Indices &place : all) {
            int64_t at = 0;
            Indices position;
            for (size_t d = 0; d < n; ++d) {
                at += place[d] * part.step[d];
                position.push_back(place[d] + (d ? loffs[d] : row));
            }
            const double found = static_cast<double *>(part.data)[at], right = wanted(position);
            if (found != right)
                return "position " + std::to_string(position[0]) + " is " + std::to_string(found) +
                       " instead of " + std::to_string(right);
        }
        if (!all.empty()) {
            row += part.range[0].size;
            rows += part.range[0].size;
        }
    }
    if (is_empty ? rows != 0 : rows != held.size[0] || loffs[0] != held.offset[0])
        return "has " + std::to_string(rows) + " rows from " + std::to_string(loffs[0]);
    return "";
}

std::string run_case(Dice &dice) {
    Indices shape;
    for (int64_t d = dice.range(1, 3); d > 0; --d)
        shape.push_back(dice.range(1, shape.empty() ? 20 : 5));
    const size_t n = shape.size();
    Both both = random_array(dice, shape, RandomCut::rows);
    Positions view{Indices(n, 0), Indices(n, 1), shape};
    Array alias;
    if (both.text.find("init") == std::string::npos && dice.chance(40)) {
        Ranges slice;
        for (size_t d = 0; d < n; ++d) {
            slice.push_back(random_slice(dice, shape[d]));
            view.first[d] = slice[d].first;
            view.step[d] = slice[d].stride;
            view.shape[d] = slice[d].size;
        }
        expect_success(DRI_array_slice(both.array, slice.data(), 0, alias.out()), "DRI_array_slice");
    }
    const DRI_Array array = alias ? alias.get() : both.array.get();
    std::vector<DRI_Box> targets;
    for (int q = 0; q < world().size; ++q)
        targets.push_back(random_target(dice, view.shape));
    const DRI_Box &target = targets[static_cast<size_t>(world().rank)];
    const std::string all = both.text + (alias ? " alias" : "") + text_of_box(target, n) + ": ";
    std::vector<Array> pieces;
    for (int turn = 0; turn < 3; ++turn) {
        Array piece;
        if (turn < 2 && DRI_array_repartition(array, &target, piece.out()) != DRI_SUCCESS)
            return all + DRI_error_message();
        if (turn == 2 && DRI_array_update_overlap(pieces[0]) != DRI_SUCCESS)
            return all + DRI_error_message();
        const DRI_Array now = turn < 2 ? piece.get() : pieces[0].get();
        const auto value = [&](const Indices &at) { return view.value(both.whole, at); };
        if (const std::string wrong = compare(now, target, value); !wrong.empty())
            return all + "turn " + std::to_string(turn) + " " + wrong;
        std::vector<DRI_Range> slice;
        DRI_Box part{};
        for (size_t d = 0; d < n; ++d)
            slice.push_back(random_slice(dice, std::max<int64_t>(view.shape[d], 1)));
        Array some, sum;
        bool fits = true;
        for (size_t d = 0; d < n; ++d)
            fits = fits && view.shape[d] > 0;
        if (fits) { // the positions of the slice that the target has
            expect_success(DRI_target_of_slice(static_cast<int>(n), &target, slice.data(), nullptr, &part),
                           "DRI_target_of_slice");
            if (DRI_array_subview(now, slice.data(), &part, some.out()) != DRI_SUCCESS)
                return all + DRI_error_message();
            const auto sliced = [&](const Indices &at) {
                Indices index;
                for (size_t d = 0; d < n; ++d)
                    index.push_back(slice[d].first + at[d] * slice[d].stride);
                return value(index);
            };
            if (const std::string wrong = compare(some, part, sliced); !wrong.empty())
                return all + "subview" + text_of_box(part, n) + " " + wrong;
            if (DRI_array_ewbin(DRI_OP_ADD, some, some, nullptr, nullptr, sum.out()) != DRI_SUCCESS)
                return all + DRI_error_message();
            const auto twice = [&](const Indices &at) { return 2 * sliced(at); };
            if (const std::string wrong = compare(sum, part, twice); !wrong.empty())
                return all + "sum" + text_of_box(part, n) + " " + wrong;
        }
        pieces.push_back(std::move(piece));
        for (double &one : both.whole.values)
            one += 100;
        visit(both, true); // at once: others have taken what they asked for
    }
    return "";
}

TEST(Pieces, Random) { run_random_cases(run_case); }

} // namespace
} // namespace dri::test
