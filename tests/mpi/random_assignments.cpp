// Random assignments between arrays over random maps. The oracle walks every index of both slices in their order.
// RC_PARAMS=max_success=20000 sets the number of cases, see support/random_cases.hpp.
#include "support/arrays.hpp"
#include "support/library.hpp"
#include "support/random_cases.hpp"
#include "support/random_domains.hpp"

#include <map>

namespace dri::test {
namespace {

// A number that fits into 16 bits, and that tells apart neighbours in every dimension.
double first_value(const Indices &index, int64_t base) {
    int64_t value = base;
    for (const int64_t i : index)
        value = value * 101 + i + 50;
    return static_cast<double>(value % 32749);
}

// Sizes that both slices have, with dimensions of one member anywhere.
struct Sides {
    RandomMap to, from;
    Ranges whole_to, whole_from, left, right;
};

std::vector<int64_t> with_ones(Dice &dice, std::vector<int64_t> sizes, size_t most) {
    while (sizes.size() < most && dice.chance(most > 3 ? 80 : 30))
        sizes.insert(sizes.begin() + dice.range(0, static_cast<int64_t>(sizes.size())), 1);
    return sizes;
}

Ranges whole_around(Dice &dice, const std::vector<int64_t> &sizes) {
    Ranges whole;
    for (const int64_t size : sizes) {
        const int64_t stride = dice.one_of<int64_t>({1, 1, 1, 2, 3, -1, -2});
        const bool is_tight = sizes.size() > 3; // the oracle walks every index
        whole.push_back(
            {dice.range(-8, 8), stride,
             is_tight ? size + (dice.chance(25) ? 1 : 0) : size * dice.range(1, 3) + dice.range(0, 2)});
    }
    return whole;
}

// one: both slices are of one array.
Sides random_sides(Dice &dice, bool one) {
    std::vector<int64_t> sizes;
    const size_t most = dice.chance(10) ? DRI_MAX_DIMS : 3;
    for (int64_t n = dice.range(1, most > 3 ? 3 : 2); n > 0; --n)
        sizes.push_back(dice.range(2, most > 3 ? 3 : 7));
    Sides sides;
    const auto a = with_ones(dice, sizes, most), b = one ? a : with_ones(dice, sizes, most);
    sides.to = make_random_map(dice, a.size(), "any");
    sides.whole_to = whole_around(dice, a);
    sides.left = random_slice_of(dice, sides.whole_to, a);
    if (!one)
        sides.from = make_random_map(dice, b.size(), "any");
    sides.whole_from = one ? sides.whole_to : whole_around(dice, b);
    sides.right = random_slice_of(dice, sides.whole_from, b);
    return sides;
}

// An alias of a slice, which may drop dimensions of one member.
Array make_alias(Dice &dice, DRI_Array of, const Ranges &slice) {
    unsigned dropped = 0;
    size_t left = slice.size();
    for (size_t d = 0; d < slice.size(); ++d)
        if (slice[d].size == 1 && left > 1 && dice.chance(50)) {
            dropped |= 1u << d;
            --left;
        }
    Array alias;
    expect_success(DRI_array_slice(of, slice.data(), dropped, alias.out()), "DRI_array_slice");
    return alias;
}

struct Types {
    DRI_Type to = DRI_DOUBLE, from = DRI_DOUBLE;
};

Types random_types(Dice &dice, bool one) {
    if (!dice.chance(30))
        return {};
    const DRI_Type to = dice.one_of<DRI_Type>({DRI_DOUBLE, DRI_FLOAT, DRI_INT32, DRI_INT16});
    return {to, one ? to : dice.one_of<DRI_Type>({DRI_DOUBLE, DRI_FLOAT, DRI_INT32, DRI_INT16})};
}

// Calls f with a null pointer of the type's C++ type.
template <class F> auto with_type(DRI_Type type, F &&f) {
    if (type.id == DRI_INT16.id)
        return f(static_cast<int16_t *>(nullptr));
    if (type.id == DRI_INT32.id)
        return f(static_cast<int32_t *>(nullptr));
    if (type.id == DRI_FLOAT.id)
        return f(static_cast<float *>(nullptr));
    return f(static_cast<double *>(nullptr));
}

void fill_of(DRI_Type type, DRI_Array array, DRI_Domain domain, const ValueOf &value) {
    with_type(type, [&](auto *none) { fill<std::remove_pointer_t<decltype(none)>>(array, domain, value); });
}

std::string difference_of(DRI_Type type, DRI_Array array, DRI_Domain domain, const ValueOf &value) {
    return with_type(
        type, [&](auto *none) { return difference<std::remove_pointer_t<decltype(none)>>(array, domain, value); });
}

std::string line_of(const Sides &sides, bool one, const Types &types) {
    return sides.to.text + " " + text_of(sides.whole_to) + " slice " + text_of(sides.left) + " = " +
           (one ? "itself" : sides.from.text + " " + text_of(sides.whole_from)) + " slice " +
           text_of(sides.right) + (types.to.id == types.from.id ? "" : " converted");
}

std::string check_assignment(Dice &dice) {
    const bool one = dice.chance(15);
    const Sides sides = random_sides(dice, one);
    const Types types = random_types(dice, one);
    const Domain to = make_domain(sides.to.map, sides.whole_to);
    const Domain from = one ? Domain() : make_domain(sides.from.map, sides.whole_from);
    const Array dst = make_array(to, types.to), other = one ? Array() : make_array(from, types.from);
    const DRI_Array src = one ? dst.get() : other.get();
    if (dice.chance(20))
        expect_success(DRI_array_set_attr(dst, DRI_ARRAY_BULK, 0), "DRI_array_set_attr");
    const bool by_alias = dice.chance(40);
    const Array left = by_alias ? make_alias(dice, dst, sides.left) : Array(),
                right = by_alias ? make_alias(dice, src, sides.right) : Array();
    const auto lefts = tuples_of(sides.left), rights = tuples_of(sides.right);
    std::map<Indices, Indices> pairs;
    for (size_t i = 0; i < lefts.size(); ++i)
        pairs[lefts[i]] = rights[i];
    const std::string all = line_of(sides, one, types);
    for (int turn = 0; turn < 2; ++turn) {
        const int64_t base = one ? 1 : turn + 3;
        fill_of(types.to, dst, to, [](const Indices &index) { return first_value(index, 1); });
        if (!one)
            fill_of(types.from, src, from, [&](const Indices &index) { return first_value(index, base); });
        DRI_Assigned info{};
        const int code = by_alias ? DRI_assign(left, nullptr, right, nullptr, &info)
                                  : DRI_assign(dst, sides.left.data(), src, sides.right.data(), &info);
        if (code != DRI_SUCCESS)
            return all + ": " + DRI_error_message();
        const std::string wrong = difference_of(types.to, dst, to, [&](const Indices &index) {
            const auto pair = pairs.find(index);
            return pair == pairs.end() ? first_value(index, 1) : first_value(pair->second, base);
        });
        if (!wrong.empty())
            return all + ": path " + std::to_string(info.path) + " turn " + std::to_string(turn) + ": " + wrong;
    }
    return "";
}

TEST(Assignments, Random) { run_random_cases(check_assignment); }

} // namespace
} // namespace dri::test
