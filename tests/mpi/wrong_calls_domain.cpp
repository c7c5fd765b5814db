// Wrong maps and domains. All calls are local.
#include "support/domains.hpp"
#include "support/library.hpp"
#include "support/wrong_call.hpp"

#include <array>

namespace dri::test {
namespace {

auto map_of(const std::vector<MapDim> &rules, DRI_Group group) {
    return makes<DRI_Map>([=](DRI_Map *out) {
        const std::vector<DRI_Map_dim> dims(rules.begin(), rules.end());
        return DRI_map_create(static_cast<int>(dims.size()), dims.data(), group, out);
    });
}

// A map of a dimension in front of the one with the fault.
auto second(const MapDim &rule, DRI_Group group) { return map_of({MapDim{}, rule}, group); }

MapDim with_field(MapDim rule, int64_t MapDim::*field, int64_t value) {
    rule.*field = value;
    return rule;
}

DRI_Edge edge_of(int number) { return static_cast<DRI_Edge>(number); }

TEST(WrongMaps, AreRefused) {
    const Group all = make_world();
    const DRI_Group w = all;
    const int size = world().size;
    const MapDim block = block_dim(0, 9), cyclic = cyclic_dim(0, 2);
    static DRI_Map_dim reserved = block;
    reserved.reserved[2] = 1;
    expect_refused({
        {"no dimensions",
         makes<DRI_Map>([=](DRI_Map *out) { return DRI_map_create(0, &reserved, w, out); }),
         DRI_ERR_ARG,
         {"ndims", "0"}},
        {"too many dimensions",
         makes<DRI_Map>([=](DRI_Map *out) { return DRI_map_create(99, &reserved, w, out); }),
         DRI_ERR_ARG,
         {"ndims", "99"}},
        {"no rules",
         makes<DRI_Map>([=](DRI_Map *out) { return DRI_map_create(1, nullptr, w, out); }),
         DRI_ERR_ARG,
         {"dims"}},
        {"a reserved field",
         makes<DRI_Map>([=](DRI_Map *out) { return DRI_map_create(1, &reserved, w, out); }),
         DRI_ERR_ARG,
         {"dimension 0", "reserved"}},
        {"no output", [=] { return DRI_map_create(1, &reserved, w, nullptr); }, DRI_ERR_ARG, {"map"}},
        {"no group", second(block, {}), DRI_ERR_HANDLE, {}},
        {"another kind", second({.kind = DRI_INDICES}, w), DRI_ERR_ARG, {"dimension 1", "kind"}},
        {"a kind that is none",
         second({.kind = static_cast<DRI_Part_kind>(7)}, w),
         DRI_ERR_ARG,
         {"dimension 1", "kind", "7"}},
        {"-1 parts",
         second({.kind = DRI_BLOCK, .nparts = -1, .hi = 9}, w),
         DRI_ERR_ARG,
         {"dimension 1", "nparts", "-1"}},
        {"more parts than processes",
         second({.kind = DRI_BLOCK, .nparts = size + 1, .hi = 9}, w),
         DRI_ERR_ARG,
         {std::to_string(size) + " processes", std::to_string(size + 1)}},
        {"a whole dimension in two parts",
         second({.kind = DRI_WHOLE, .nparts = 2}, w),
         DRI_ERR_ARG,
         {"dimension 1", "nparts", "2"}},
        {"an empty box", second(block_dim(3, 3), w), DRI_ERR_ARG, {"dimension 1", "3"}},
        {"a box upside down", second(block_dim(3, 2), w), DRI_ERR_ARG, {"dimension 1", "3", "2"}},
        {"a box of more than 64 bits", second(block_dim(-largest, largest), w), DRI_ERR_ARG, {"dimension 1"}},
        {"blocks of 0", second(cyclic_dim(0, 0), w), DRI_ERR_ARG, {"dimension 1", "block", "0"}},
        {"blocks of -1", second(cyclic_dim(0, -1), w), DRI_ERR_ARG, {"dimension 1", "block", "-1"}},
        {"a block of blocks",
         second(with_field(block, &MapDim::block, 2), w),
         DRI_ERR_ARG,
         {"dimension 1", "block"}},
        {"a start of blocks",
         second(with_field(block, &MapDim::start, 2), w),
         DRI_ERR_ARG,
         {"dimension 1", "start"}},
        {"a box of cyclic blocks",
         second(with_field(cyclic, &MapDim::hi, 2), w),
         DRI_ERR_ARG,
         {"dimension 1", "hi"}},
        {"overlap of cyclic blocks",
         second(with_field(cyclic, &MapDim::left, 1), w),
         DRI_ERR_ARG,
         {"dimension 1", "left"}},
        {"overlap of -1",
         second(with_field(block, &MapDim::right, -1), w),
         DRI_ERR_ARG,
         {"dimension 1", "overlap", "-1"}},
        {"a box of a whole dimension", second({.lo = 1}, w), DRI_ERR_ARG, {"dimension 1", "lo"}},
        {"an edge that is none",
         second({.kind = DRI_BLOCK, .hi = 9, .left_edge = edge_of(77)}, w),
         DRI_ERR_ARG,
         {"dimension 1", "edges are 77"}},
    });
}

int zero_owner(void *, const int64_t[], int *position) {
    *position = 0;
    return DRI_SUCCESS;
}
int no_bytes(void *, void *, size_t, size_t *needed) {
    *needed = 0;
    return DRI_SUCCESS;
}

TEST(WrongUsersMaps, AreRefused) {
    const Group all = make_world();
    const DRI_Group w = all;
    DRI_Map_ops fine{};
    fine.bytes = sizeof fine;
    fine.name = "zero";
    fine.owner = zero_owner;
    DRI_Map_ops small = fine, ownerless = fine, half = fine, reserved = fine;
    small.bytes = 8;
    ownerless.owner = nullptr;
    half.pack = no_bytes;
    reserved.reserved[3] = &fine;
    const auto made = [w](int ndims, const DRI_Map_ops *ops) {
        return makes<DRI_Map>([=](DRI_Map *out) { return DRI_map_create_user(ndims, ops, nullptr, w, out); });
    };
    expect_refused({
        {"no functions", made(1, nullptr), DRI_ERR_ARG, {"ops"}},
        {"of another version", made(1, &small), DRI_ERR_ARG, {"bytes", "8"}},
        {"no owner", made(1, &ownerless), DRI_ERR_ARG, {"'zero'", "owner"}},
        {"pack without unpack", made(1, &half), DRI_ERR_ARG, {"'zero'", "pack", "unpack"}},
        {"a reserved field", made(1, &reserved), DRI_ERR_ARG, {"'zero'", "reserved"}},
        {"no dimensions", made(0, &fine), DRI_ERR_ARG, {"ndims", "0"}},
    });
    Map map;
    expect_success(DRI_map_create_user(1, &fine, nullptr, all, map.out()), "DRI_map_create_user");
    const DRI_Map m = map;
    static int grid[DRI_MAX_DIMS];
    static size_t needed = 0;
    expect_refused({
        {"its grid", [=] { return DRI_map_get_grid(m, grid); }, DRI_ERR_UNSUPPORTED, {}},
        {"its bytes",
         [=] { return DRI_map_pack(m, nullptr, 0, &needed); },
         DRI_ERR_UNSUPPORTED,
         {"'zero'", "pack"}},
    });
}

TEST(WrongDomains, AreRefused) {
    const Map map = make_map({block_dim(0, 9), cyclic_dim(0)}, make_world());
    const DRI_Map m = map;
    const auto domain_of = [m](DRI_Domain_kind kind, DRI_Range range) {
        return makes<DRI_Domain>([=](DRI_Domain *out) {
            const DRI_Range ranges[]{{0, 1, 4}, range};
            return DRI_domain_create(m, kind, ranges, out);
        });
    };
    expect_refused({
        {"an associative one", domain_of(DRI_ASSOCIATIVE, {0, 1, 4}), DRI_ERR_UNSUPPORTED, {}},
        {"an opaque one", domain_of(DRI_OPAQUE, {0, 1, 4}), DRI_ERR_UNSUPPORTED, {}},
        {"a sparse one", domain_of(DRI_SPARSE, {0, 1, 4}), DRI_ERR_UNSUPPORTED, {}},
        {"stride 0", domain_of(DRI_RECTANGULAR, {0, 0, 4}), DRI_ERR_ARG, {"dimension 1", "stride 0"}},
        {"size -1", domain_of(DRI_RECTANGULAR, {0, 1, -1}), DRI_ERR_ARG, {"dimension 1", "size -1"}},
        {"beyond 64 bits", domain_of(DRI_RECTANGULAR, {largest, 1, 2}), DRI_ERR_ARG, {"dimension 1"}},
        {"too many members", domain_of(DRI_RECTANGULAR, {0, 1, largest}), DRI_ERR_OVERFLOW, {}},
        {"no ranges",
         makes<DRI_Domain>([=](DRI_Domain *out) { return DRI_domain_create(m, DRI_RECTANGULAR, nullptr, out); }),
         DRI_ERR_ARG,
         {"ranges"}},
    });
}

TEST(WrongDomainQueries, AreRefused) {
    const int last = world().size - 1;
    const Map map = make_map({block_dim(0, 8)}, make_group({last}));
    const Domain domain = make_domain(map, {{0, 2, 4}});
    const DRI_Domain d = domain;
    static int64_t number = 0, odd = 1, even = 2;
    static int rank = 0;
    static DRI_Range range{};
    static char text[8];
    expect_refused({
        {"owner of no member",
         [=] { return DRI_domain_owner(d, &odd, &rank); },
         DRI_ERR_ARG,
         {"1", "is no member of", "{0..6 by 2}"}},
        {"the order of no index", [=] { return DRI_domain_order(d, nullptr, &number); }, DRI_ERR_ARG, {"index"}},
        {"an order outside", [=] { return DRI_domain_index(d, 4, &number); }, DRI_ERR_ARG, {"4"}},
        {"an order of -1", [=] { return DRI_domain_index(d, -1, &number); }, DRI_ERR_ARG, {"-1"}},
        {"boxes of a process that is not there",
         [=] { return DRI_domain_num_boxes(d, last + 1, &number); },
         DRI_ERR_ARG,
         {std::to_string(last + 1)}},
        {"box 1 of one", [=] { return DRI_domain_get_box(d, last, 1, &range); }, DRI_ERR_ARG, {"1"}},
        {"box -1", [=] { return DRI_domain_get_box(d, last, -1, &range); }, DRI_ERR_ARG, {"-1"}},
        {"the place of no member",
         [=] { return DRI_domain_local_index(d, last, &odd, &number); },
         DRI_ERR_ARG,
         {"is no member of"}},
        {"a place outside", [=] { return DRI_domain_global_index(d, last, 4, &number); }, DRI_ERR_ARG, {"4"}},
        {"chunks for no tasks",
         [=] { return DRI_domain_num_chunks(d, last, 0, &number); },
         DRI_ERR_ARG,
         {"tasks", "0"}},
        {"chunk 9", [=] { return DRI_domain_get_chunk(d, last, 2, 9, &range, nullptr); }, DRI_ERR_ARG, {"9"}},
        {"a text of no bytes", [=] { return DRI_domain_text(d, text, 0); }, DRI_ERR_ARG, {"n is 0"}},
        {"no text", [=] { return DRI_domain_describe(d, nullptr, 8); }, DRI_ERR_ARG, {"text"}},
    });
    EXPECT_EQ(DRI_domain_owner(d, &even, &rank), DRI_SUCCESS);
    EXPECT_EQ(rank, last);
}

} // namespace
} // namespace dri::test
