// The words of messages about maps, domains and arrays: whole sentences, with the numbers of the wrong call.
#include "support/arrays.hpp"
#include "support/wrong_call.hpp"

#include <array>
#include <string>

namespace dri::test {
namespace {

int first_owns_all(void *, const int64_t[], int *position) {
    *position = 0;
    return DRI_SUCCESS;
}
int owner_without_code(void *, const int64_t[], int *position) {
    *position = 0;
    return 9999;
}
int owner_outside(void *, const int64_t[], int *position) {
    *position = -4;
    return DRI_SUCCESS;
}
int pack_nothing(void *, void *, size_t, size_t *needed) {
    *needed = 0;
    return DRI_SUCCESS;
}
int unpack_nothing(const void *, size_t, void **ctx) {
    *ctx = nullptr;
    return DRI_SUCCESS;
}
int no_range(void *, int, const DRI_Range[], int64_t, DRI_Range boxes[], int64_t *n) {
    boxes[0] = {0, 0, 3};
    *n = 1;
    return DRI_SUCCESS;
}

DRI_Map_ops ops_of(const char *name, OwnerOf owner = first_owns_all) { return map_ops(name, owner); }

Map user_map(const DRI_Map_ops &ops) { return make_user_map(1, ops, nullptr); }

std::vector<char> packed(DRI_Map map) {
    size_t n = 0;
    expect_success(DRI_map_pack(map, nullptr, 0, &n), "DRI_map_pack");
    std::vector<char> bytes(n);
    expect_success(DRI_map_pack(map, bytes.data(), n, &n), "DRI_map_pack");
    return bytes;
}

auto map_with(const MapDim &rule) {
    return makes<DRI_Map>([=](DRI_Map *out) {
        const DRI_Map_dim dim = rule;
        return DRI_map_create(1, &dim, make_world(), out);
    });
}

TEST(MapWords, OfRules) {
    static volatile int no_edge = 50;
    const int edge = no_edge;
    const int n = world().size;
    const std::string processes = "the group has " + std::to_string(n) + " processes, but the numbers of parts ";
    expect_refused({
        {"-2 parts",
         map_with({.kind = DRI_BLOCK, .nparts = -2, .hi = 4}),
         DRI_ERR_ARG,
         {"dimension 0: nparts is -2, but must be at least 0"}},
        {"lists",
         map_with({.kind = DRI_INDICES}),
         DRI_ERR_ARG,
         {"dimension 0: kind is 5, but a map has DRI_WHOLE, DRI_BLOCK or DRI_BLOCK_CYCLIC"}},
        {"a whole dimension cut",
         map_with({.nparts = 3}),
         DRI_ERR_ARG,
         {"dimension 0: nparts is 3, but DRI_WHOLE has one part"}},
        {"an empty box",
         map_with(block_dim(5, 5)),
         DRI_ERR_ARG,
         {"dimension 0: the bounding box [5, 5) is empty or too long"}},
        {"overlap below 0",
         map_with({.kind = DRI_BLOCK, .hi = 4, .left = -1, .right = 2}),
         DRI_ERR_ARG,
         {"dimension 0: the overlap is -1 and 2, but must be at least 0"}},
        {"edges",
         map_with({.kind = DRI_BLOCK, .hi = 4, .right_edge = static_cast<DRI_Edge>(edge)}),
         DRI_ERR_ARG,
         {"dimension 0: the edges are 0 and 50, which are none of DRI_Edge"}},
        {"no block", map_with(cyclic_dim(0, 0)), DRI_ERR_ARG, {"dimension 0: block is 0, but must be at least 1"}},
        {"a field of another kind",
         map_with({.kind = DRI_BLOCK, .hi = 4, .start = 3}),
         DRI_ERR_ARG,
         {"dimension 0: start is 3, but DRI_BLOCK does not use it"}},
        {"too many parts",
         map_with(block_dim(0, 4, n + 1)),
         DRI_ERR_ARG,
         {processes + "multiply to " + std::to_string(n + 1)}},
        {"parts that do not divide the processes",
         makes<DRI_Map>([n](DRI_Map *out) {
             const DRI_Map_dim dims[]{block_dim(0, 4, n + 1), block_dim(0, 4)};
             return DRI_map_create(2, dims, make_world(), out);
         }),
         DRI_ERR_ARG,
         {processes + "multiply to " + std::to_string(n + 1) + ", which does not divide it"}},
    });
    if (n > 1) {
        expect_refused({{"blocks beyond 64 bits",
                         map_with(cyclic_dim(0, largest)),
                         DRI_ERR_OVERFLOW,
                         {"dimension 0: " + std::to_string(n) + " blocks of " + std::to_string(largest) +
                          " exceed 64 bits"}}});
    }
}

TEST(MapWords, OfUsersMaps) {
    static DRI_Map_ops ownerless = ops_of("halves"), half = ops_of("halves"), reserved = ops_of("halves"),
                       old = ops_of("halves"), packs = ops_of("halves"), other = ops_of("thirds");
    ownerless.owner = nullptr;
    half.unpack = unpack_nothing;
    reserved.reserved[0] = &reserved;
    old.bytes = 8;
    packs.pack = other.pack = pack_nothing;
    packs.unpack = other.unpack = unpack_nothing;
    const auto made = [](const DRI_Map_ops *ops) {
        return makes<DRI_Map>(
            [=](DRI_Map *out) { return DRI_map_create_user(1, ops, nullptr, make_world(), out); });
    };
    expect_refused({
        {"no functions", made(nullptr), DRI_ERR_ARG, {"ops is NULL"}},
        {"an old version",
         made(&old),
         DRI_ERR_ARG,
         {"ops.bytes is 8, but must be sizeof(DRI_Map_ops), " + std::to_string(sizeof(DRI_Map_ops))}},
        {"no owner", made(&ownerless), DRI_ERR_ARG, {"the map 'halves' has no function owner"}},
        {"half of two",
         made(&half),
         DRI_ERR_ARG,
         {"the map 'halves' has one of pack and unpack, but not the other"}},
        {"reserved", made(&reserved), DRI_ERR_ARG, {"the map 'halves' has a reserved field that is not NULL"}},
    });
    const Map plain = user_map(ops_of("halves")), no_code = user_map(ops_of("halves", owner_without_code)),
              outside = user_map(ops_of("halves", owner_outside));
    DRI_Map_ops bad_list = ops_of("halves");
    bad_list.local = no_range;
    const Domain lists = make_domain(user_map(bad_list), {{0, 1, 4}});
    const DRI_Map p = plain, c = no_code, o = outside;
    const DRI_Domain d = lists;
    static std::vector<char> bytes;
    bytes = packed(user_map(packs));
    static std::vector<char> blocks;
    blocks = packed(make_map({block_dim(0, 4)}, make_world()));
    static int64_t index = 3, number = 0;
    static int rank = 0;
    static size_t needed = 0;
    static DRI_Map_ops unpackless = ops_of("halves");
    const auto unpacked = [](const std::vector<char> &from, const DRI_Map_ops *ops) {
        return makes<DRI_Map>(
            [&from, ops](DRI_Map *out) { return DRI_map_unpack(from.data(), from.size(), ops, out); });
    };
    expect_refused({
        {"its grid",
         [=] { return DRI_map_get_grid(p, &rank); },
         DRI_ERR_UNSUPPORTED,
         {"the map 'halves' is a user's, which has no grid"}},
        {"its bytes",
         [=] { return DRI_map_pack(p, nullptr, 0, &needed); },
         DRI_ERR_UNSUPPORTED,
         {"the map 'halves' has no function pack"}},
        {"an owner that returns no code",
         [=] { return DRI_map_owner(c, &index, &rank); },
         DRI_ERR_ARG,
         {"the function owner of the map 'halves' returned 9999, which is no code"}},
        {"an owner outside",
         [=] { return DRI_map_owner(o, &index, &rank); },
         DRI_ERR_ARG,
         {"the map 'halves' says that 3 belongs to position -4, but the group has " +
          std::to_string(world().size)}},
        {"a box that is none",
         [=] { return DRI_domain_num_boxes(d, 0, &number); },
         DRI_ERR_ARG,
         {"the function local of the map 'halves' gives position 0 the box of no ranges, which is not inside "
          "{0..3}"}},
        {"bytes without functions",
         unpacked(bytes, nullptr),
         DRI_ERR_ARG,
         {"ops is NULL, but the map 'halves' is a user's"}},
        {"another map's functions",
         unpacked(bytes, &other),
         DRI_ERR_ARG,
         {"the map 'halves' was packed, but ops are those of 'thirds'"}},
        {"functions that do not unpack",
         unpacked(bytes, &unpackless),
         DRI_ERR_ARG,
         {"the map 'halves' has no function unpack"}},
        {"functions for blocks",
         unpacked(blocks, &packs),
         DRI_ERR_ARG,
         {"ops must be NULL, because the map is not a user's"}},
    });
}

TEST(MapWords, OfRangesAndDomains) {
    const Map map = make_map({block_dim(0, 12)}, make_world());
    const Domain domain = make_domain(map, {{0, 2, 6}});
    const DRI_Map m = map;
    const DRI_Domain d = domain;
    static int64_t index = 0, number = 0;
    static DRI_Range range{};
    const int n = world().size;
    const auto kind = [m](int of) {
        return makes<DRI_Domain>([=](DRI_Domain *out) {
            const DRI_Range some{0, 1, 4};
            return DRI_domain_create(m, static_cast<DRI_Domain_kind>(of), &some, out);
        });
    };
    expect_refused({
        {"kind 9", kind(9), DRI_ERR_ARG, {"kind is 9, which is none of DRI_Domain_kind"}},
        {"keys",
         kind(DRI_ASSOCIATIVE),
         DRI_ERR_UNSUPPORTED,
         {"associative domains are not supported, only rectangular"}},
        {"opaque",
         kind(DRI_OPAQUE),
         DRI_ERR_UNSUPPORTED,
         {"opaque domains are not supported, only rectangular ones"}},
        {"sparse",
         kind(DRI_SPARSE),
         DRI_ERR_UNSUPPORTED,
         {"sparse domains are not supported, only rectangular ones"}},
        {"no range",
         [] {
             return DRI_range_order({3, 0, 2}, 3, &number);
         },
         DRI_ERR_ARG,
         {"range is {first 3, stride 0, size 2}, which is no range: its stride is not 0, its size not negative, "
          "and "
          "all of it fits into 64 bits"}},
        {"no stride", [] { return DRI_range(0, 4, 0, 0, &range); }, DRI_ERR_ARG, {"stride is 0"}},
        {"too long a range",
         [] { return DRI_range(-largest, largest, 1, 0, &range); },
         DRI_ERR_OVERFLOW,
         {"the indices of [-9223372036854775807, 9223372036854775807) by 1 exceed 64 bits"}},
        {"not inside",
         [] {
             return DRI_densify({1, 2, 2}, {0, 2, 6}, &range);
         },
         DRI_ERR_ARG,
         {"the range 1..3 by 2 is not inside 0..10 by 2"}},
        {"places outside",
         [] {
             return DRI_undensify({4, 1, 3}, {0, 2, 6}, &range);
         },
         DRI_ERR_ARG,
         {"the places 4..6 are not those of 0..10 by 2, which has 6 members"}},
        {"an order outside",
         [=] { return DRI_domain_index(d, 6, &index); },
         DRI_ERR_ARG,
         {"order is 6, but the domain {0..10 by 2} has 6 members"}},
        {"a process that is not there",
         [=] { return DRI_domain_num_boxes(d, n, &number); },
         DRI_ERR_ARG,
         {"rank " + std::to_string(n) + " is not in the group of the map"}},
        {"no tasks",
         [=] { return DRI_domain_num_chunks(d, 0, 0, &number); },
         DRI_ERR_ARG,
         {"tasks is 0, but must be at least 1"}},
        {"box 5",
         [=] { return DRI_domain_get_box(d, 0, 5, &range); },
         DRI_ERR_ARG,
         {"i is 5, but the process has "}},
    });
    const Domain line = make_domain(make_map({MapDim{}}, make_group({n - 1})), {{0, 1, 4}});
    const DRI_Domain l = line;
    expect_refused({
        {"box 1 of one",
         [=] { return DRI_domain_get_box(l, n - 1, 1, &range); },
         DRI_ERR_ARG,
         {"i is 1, but the process has 1 boxes"}},
        {"chunk 3 of two",
         [=] { return DRI_domain_get_chunk(l, n - 1, 2, 3, &range, nullptr); },
         DRI_ERR_ARG,
         {"i is 3, but the process has 2 chunks"}},
        {"place 4 of four",
         [=] { return DRI_domain_global_index(l, n - 1, 4, &index); },
         DRI_ERR_ARG,
         {"offset is 4, but the process has 4 elements in its local array"}},
    });
    const Domain rim =
        make_domain(make_map({{.kind = DRI_BLOCK, .hi = 4, .left = 1}}, make_group({0})), {{0, 1, 4}});
    const DRI_Domain r = rim;
    expect_refused({{"a place beyond the domain",
                     [=] { return DRI_domain_global_index(r, 0, 0, &index); },
                     DRI_ERR_ARG,
                     {"the place 0 is beyond the domain {0..3}"}}});
}

} // namespace
} // namespace dri::test
