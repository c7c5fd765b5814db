// Random assignments between arrays over random maps. The oracle walks every index of both slices in their order.
#include "support/arrays.hpp"
#include "support/library.hpp"
#include "support/random_domains.hpp"

#include <map>

namespace dri::test {
namespace {

double first_value(const Indices &index, double base) {
    double value = base;
    for (const int64_t i : index)
        value = value * 101 + static_cast<double>(i + 50);
    return value;
}

// Sizes that both slices have, with dimensions of one member anywhere.
struct Sides {
    RandomMap to, from;
    Ranges whole_to, whole_from, left, right;
};

std::vector<int64_t> with_ones(Dice &dice, std::vector<int64_t> sizes) {
    while (sizes.size() < 3 && dice.chance(30))
        sizes.insert(sizes.begin() + dice.range(0, static_cast<int64_t>(sizes.size())), 1);
    return sizes;
}

Ranges whole_around(Dice &dice, const std::vector<int64_t> &sizes) {
    Ranges whole;
    for (const int64_t size : sizes) {
        const int64_t stride = dice.one_of<int64_t>({1, 1, 1, 2, 3, -1, -2});
        whole.push_back({dice.range(-8, 8), stride, size * dice.range(1, 3) + dice.range(0, 2)});
    }
    return whole;
}

Sides random_sides(Dice &dice) {
    std::vector<int64_t> sizes;
    for (int64_t n = dice.range(1, 2); n > 0; --n)
        sizes.push_back(dice.range(2, 7));
    Sides sides;
    const auto a = with_ones(dice, sizes), b = with_ones(dice, sizes);
    sides.to = make_random_map(dice, a.size(), "any");
    sides.from = make_random_map(dice, b.size(), "any");
    sides.whole_to = whole_around(dice, a);
    sides.whole_from = whole_around(dice, b);
    sides.left = random_slice_of(dice, sides.whole_to, a);
    sides.right = random_slice_of(dice, sides.whole_from, b);
    return sides;
}

std::string check_assignment(Dice &dice) {
    const Sides sides = random_sides(dice);
    const Domain to = make_domain(sides.to.map, sides.whole_to),
                 from = make_domain(sides.from.map, sides.whole_from);
    const Array dst = make_array(to), src = make_array(from);
    if (dice.chance(20))
        expect_success(DRI_array_set_attr(dst, DRI_ARRAY_BULK, 0), "DRI_array_set_attr");
    const bool by_alias = dice.chance(30);
    Array left, right;
    if (by_alias) {
        expect_success(DRI_array_slice(dst, sides.left.data(), 0, left.out()), "DRI_array_slice");
        expect_success(DRI_array_slice(src, sides.right.data(), 0, right.out()), "DRI_array_slice");
    }
    const auto lefts = tuples_of(sides.left), rights = tuples_of(sides.right);
    std::map<Indices, Indices> pairs;
    for (size_t i = 0; i < lefts.size(); ++i)
        pairs[lefts[i]] = rights[i];
    std::string all = sides.to.text + " " + text_of(sides.whole_to) + " slice " + text_of(sides.left) + " = " +
                      sides.from.text + " " + text_of(sides.whole_from) + " slice " + text_of(sides.right);
    for (int turn = 0; turn < 2; ++turn) {
        const double base = turn + 3;
        fill(dst, to, [](const Indices &index) { return first_value(index, 1); });
        fill(src, from, [&](const Indices &index) { return first_value(index, base); });
        DRI_Assigned info{};
        const int code = by_alias ? DRI_assign(left, nullptr, right, nullptr, &info)
                                  : DRI_assign(dst, sides.left.data(), src, sides.right.data(), &info);
        if (code != DRI_SUCCESS)
            return all + ": " + DRI_error_message();
        const std::string wrong = difference(dst, to, [&](const Indices &index) {
            const auto pair = pairs.find(index);
            return pair == pairs.end() ? first_value(index, 1) : first_value(pair->second, base);
        });
        if (!wrong.empty())
            return all + ": path " + std::to_string(info.path) + " turn " + std::to_string(turn) + ": " + wrong;
    }
    return "";
}

TEST(Assignments, Random) {
    for (uint64_t seed = 1; seed <= 150; ++seed) {
        Dice dice(seed);
        ASSERT_EQ(check_assignment(dice), "") << "seed " << seed;
    }
}

} // namespace
} // namespace dri::test
