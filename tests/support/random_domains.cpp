// Makes random maps: blocks, cyclic blocks, users' maps with and without lists of boxes.
#include "support/random_domains.hpp"

#include <algorithm>
#include <numeric>

namespace dri::test {

namespace {

// Rounds towards minus infinity, in the words of the contract.
int64_t floor_ratio(int64_t a, int64_t b) {
    int64_t q = a / b;
    while (q * b > a)
        --q;
    while ((q + 1) * b <= a)
        ++q;
    return q;
}

int64_t remainder_of(int64_t a, int64_t b) { return a - floor_ratio(a, b) * b; }

int part_of(const MapDim &rule, int64_t index) {
    if (rule.kind == DRI_WHOLE)
        return 0;
    if (rule.kind == DRI_BLOCK)
        return static_cast<int>(std::clamp<int64_t>(
            floor_ratio((index - rule.lo) * rule.nparts, rule.hi - rule.lo), 0, rule.nparts - 1));
    return static_cast<int>(remainder_of(floor_ratio(index - rule.start, rule.block), rule.nparts));
}

int position_in(const std::vector<MapDim> &rules, const Indices &index) {
    int position = 0;
    for (size_t d = 0; d < rules.size(); ++d)
        position = position * rules[d].nparts + part_of(rules[d], index[d]);
    return position;
}

// Numbers with this product.
std::vector<int> random_grid(Dice &dice, int processes, size_t ndims) {
    std::vector<int> grid(ndims, 1);
    for (int factor = 2; processes > 1; ++factor)
        for (; processes % factor == 0; processes /= factor)
            grid[static_cast<size_t>(dice.range(0, static_cast<int64_t>(ndims) - 1))] *= factor;
    return grid;
}

RandomMap make_grid(Dice &dice, size_t ndims) {
    RandomMap made;
    made.ranks = some_ranks(dice, world().size);
    const std::vector<int> grid = random_grid(dice, static_cast<int>(made.ranks.size()), ndims);
    for (size_t d = 0; d < ndims; ++d) {
        MapDim rule;
        rule.nparts = grid[d];
        if (grid[d] > 1 || dice.chance(50)) {
            if (dice.chance(50)) {
                rule.kind = DRI_BLOCK;
                rule.lo = dice.range(-12, 12);
                rule.hi = rule.lo + dice.range(1, 20);
            } else {
                rule.kind = DRI_BLOCK_CYCLIC;
                rule.start = dice.range(-12, 12);
                rule.block = dice.chance(50) ? 1 : dice.range(2, 5);
            }
        }
        made.rules.push_back(rule);
        made.text += " kind " + std::to_string(rule.kind) + " p " + std::to_string(rule.nparts) + " [" +
                     std::to_string(rule.lo) + "," + std::to_string(rule.hi) + ") start " +
                     std::to_string(rule.start) + " block " + std::to_string(rule.block) + ";";
    }
    Group group;
    expect_success(DRI_group_create(static_cast<int>(made.ranks.size()), made.ranks.data(), group.out()),
                   "DRI_group_create");
    made.map = make_map(made.rules, group);
    made.position = [rules = made.rules](const Indices &index) { return position_in(rules, index); };
    return made;
}

// What the functions of a user's map get.
struct UserContext {
    size_t ndims;
    int positions;
    std::function<int(const Indices &)> position;
};

int user_owner(void *ctx, const int64_t index[], int *position) {
    const auto *user = static_cast<const UserContext *>(ctx);
    *position = user->position(Indices(index, index + user->ndims));
    return DRI_SUCCESS;
}

// One box for each index: right, in the order of memory that a user may choose, and the most that there can be.
int user_local(void *ctx, int position, const DRI_Range whole[], int64_t most, DRI_Range boxes[], int64_t *n) {
    const auto *user = static_cast<const UserContext *>(ctx);
    *n = 0;
    std::vector<Indices> all = tuples_of(Ranges(whole, whole + user->ndims));
    std::reverse(all.begin(), all.end());
    for (const Indices &index : all) {
        if (user->position(index) != position)
            continue;
        if (*n < most)
            for (size_t d = 0; d < user->ndims; ++d)
                boxes[*n * static_cast<int64_t>(user->ndims) + static_cast<int64_t>(d)] = {index[d], 1, 1};
        ++*n;
    }
    return DRI_SUCCESS;
}

std::function<int(const Indices &)> random_rule(Dice &dice, size_t ndims, int positions, std::string &text) {
    const int64_t a = dice.range(1, 5), b = dice.range(0, 3), kind = dice.range(0, 3);
    text = "user rule " + std::to_string(kind) + " " + std::to_string(a) + " " + std::to_string(b);
    if (kind == 0) // even and odd, or every so many
        return [=](const Indices &i) { return static_cast<int>(remainder_of(i.back() + b, positions)); };
    if (kind == 1) // boxes of one position each
        return [=](const Indices &i) {
            return static_cast<int>(std::clamp<int64_t>(floor_ratio(i.front() + 10, a + 3), 0, positions - 1));
        };
    if (kind == 2) // no pattern
        return [=](const Indices &i) {
            uint64_t hash = 7 + static_cast<uint64_t>(a);
            for (const int64_t x : i)
                hash = (hash ^ static_cast<uint64_t>(x + 100)) * 1099511628211u;
            return static_cast<int>((hash >> 13) % static_cast<uint64_t>(positions));
        };
    return [=](const Indices &i) { // a skewed grid
        int64_t sum = b;
        for (size_t d = 0; d < ndims; ++d)
            sum += floor_ratio(i[d], a) * static_cast<int64_t>(d + 1);
        return static_cast<int>(remainder_of(sum, positions));
    };
}

RandomMap make_user(Dice &dice, size_t ndims) {
    RandomMap made;
    made.ranks = some_ranks(dice, world().size);
    const int positions = static_cast<int>(made.ranks.size());
    const auto context = std::make_shared<UserContext>();
    context->ndims = ndims;
    context->positions = positions;
    if (dice.chance(40)) { // the library's rule, by a user's function
        const RandomMap other = make_grid(dice, ndims);
        made.ranks = other.ranks;
        context->position = other.position;
        made.text = "user" + other.text;
    } else {
        context->position = random_rule(dice, ndims, positions, made.text);
    }
    made.position = context->position;
    made.kept = context;
    DRI_Map_ops ops{};
    ops.bytes = sizeof ops;
    ops.name = "random";
    ops.owner = user_owner;
    if (dice.chance(30)) {
        ops.local = user_local;
        made.text += " with local";
    }
    Group group;
    expect_success(DRI_group_create(static_cast<int>(made.ranks.size()), made.ranks.data(), group.out()),
                   "DRI_group_create");
    expect_success(DRI_map_create_user(static_cast<int>(ndims), &ops, context.get(), group, made.map.out()),
                   "DRI_map_create_user");
    return made;
}

DRI_Range random_slice(Dice &dice, const DRI_Range &range, int64_t size) {
    if (size == 0)
        return {range.first, 1, 0};
    const int64_t widest = size == 1 ? 1 : (range.size - 1) / (size - 1);
    const int64_t step = dice.range(1, widest), span = (size - 1) * step;
    const int64_t from = dice.range(0, range.size - 1 - span);
    if (dice.chance(50))
        return {range.first + from * range.stride, step * range.stride, size};
    return {range.first + (from + span) * range.stride, -step * range.stride, size};
}

} // namespace

RandomMap make_random_map(Dice &dice, size_t ndims, const std::string &kinds) {
    const bool is_user = kinds == "user" || (kinds == "any" && dice.chance(40));
    return is_user ? make_user(dice, ndims) : make_grid(dice, ndims);
}

Ranges random_ranges(Dice &dice, size_t ndims, int64_t longest) {
    Ranges ranges;
    for (size_t d = 0; d < ndims; ++d) {
        const int64_t stride = (dice.chance(50) ? 1 : dice.range(2, 7)) * (dice.chance(25) ? -1 : 1);
        ranges.push_back({dice.range(-15, 15), stride, dice.chance(5) ? 0 : dice.range(1, longest)});
    }
    return ranges;
}

Ranges random_slice(Dice &dice, const Ranges &ranges) {
    std::vector<int64_t> sizes;
    for (const DRI_Range &range : ranges)
        sizes.push_back(range.size == 0 ? 0 : dice.range(1, range.size));
    return random_slice_of(dice, ranges, sizes);
}

Ranges random_slice_of(Dice &dice, const Ranges &ranges, const std::vector<int64_t> &sizes) {
    Ranges slice;
    for (size_t d = 0; d < ranges.size(); ++d)
        slice.push_back(random_slice(dice, ranges[d], sizes[d]));
    return slice;
}

std::string text_of(const Ranges &ranges) {
    std::string text;
    for (const DRI_Range &r : ranges)
        text +=
            "{" + std::to_string(r.first) + "," + std::to_string(r.stride) + "," + std::to_string(r.size) + "}";
    return text;
}

} // namespace dri::test
