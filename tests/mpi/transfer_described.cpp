// What goes into an object comes out again: of random cases, every object is made a second time from what the
// queries return, and is the same.
#include "support/case_part.hpp"
#include "support/dice.hpp"
#include "support/library.hpp"
#include "support/packed.hpp"
#include "support/sanitizer.hpp"
#include "support/strip.hpp"
#include "support/strip_turn.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <array>

namespace dri::test {
namespace {

// A handle that may be the library's own, which must not be destroyed.
template <class Object, class Handle> Object unless_own(Handle handle, std::initializer_list<Handle> own) {
    Object object;
    if (std::none_of(own.begin(), own.end(), [&](Handle h) { return h.id == handle.id; }))
        *object.out() = handle;
    return object;
}

const std::initializer_list<DRI_Type> own_types{
    DRI_INT8,   DRI_INT16, DRI_INT32,  DRI_INT64,        DRI_UINT8,         DRI_UINT16,        DRI_UINT32,
    DRI_UINT64, DRI_FLOAT, DRI_DOUBLE, DRI_COMPLEX_INT8, DRI_COMPLEX_INT16, DRI_COMPLEX_FLOAT, DRI_COMPLEX_DOUBLE};

Gdo again(DRI_Gdo gdo) {
    DRI_Type type{};
    expect_success(DRI_gdo_get_type(gdo, &type), "DRI_gdo_get_type");
    const Type record = unless_own<Type>(type, own_types);
    Type made;
    if (record) {
        size_t size = 0, alignment = 0;
        expect_success(DRI_type_get_size(type, &size, &alignment), "DRI_type_get_size");
        expect_success(DRI_type_create(size, alignment, made.out()), "DRI_type_create");
    }
    int ndims = -1;
    std::array<int64_t, DRI_MAX_DIMS> sizes{}, whole{}, offsets{};
    expect_success(DRI_gdo_get_sizes(gdo, &ndims, sizes.data()), "DRI_gdo_get_sizes");
    expect_success(DRI_gdo_get_offset(gdo, offsets.data(), whole.data()), "DRI_gdo_get_offset");
    const Gdo root = make_gdo({whole.begin(), whole.begin() + ndims}, record ? made.get() : type);
    Gdo sub;
    expect_success(DRI_gdo_subset(root, offsets.data(), sizes.data(), sub.out()), "DRI_gdo_subset");
    return sub;
}

Group again(DRI_Group group) {
    int n = 0;
    expect_success(DRI_group_get_size(group, &n, nullptr), "DRI_group_get_size");
    std::vector<int> ranks(static_cast<size_t>(n));
    expect_success(DRI_group_get_ranks(group, ranks.data()), "DRI_group_get_ranks");
    return make_group(ranks);
}

Part part_of(DRI_Dist dist, int ndims) {
    std::vector<DRI_Part_dim> rules(static_cast<size_t>(ndims));
    for (int d = 0; d < ndims; ++d)
        expect_success(DRI_dist_get_rule(dist, d, &rules[static_cast<size_t>(d)]), "DRI_dist_get_rule");
    Part part;
    if (rules.empty() || rules[0].kind != DRI_PIECES) {
        expect_success(DRI_part_create_rule(ndims, rules.data(), part.out()), "DRI_part_create_rule");
        return part;
    }
    std::vector<DRI_Part_tuple> tuples(rules.size());
    expect_success(DRI_dist_get_part(dist, world().rank, tuples.data()), "DRI_dist_get_part");
    std::vector<DRI_Edge> left, right;
    for (size_t d = 0; d < rules.size(); ++d) {
        tuples[d].left_v = rules[d].left, tuples[d].right_v = rules[d].right;
        left.push_back(rules[d].left_edge);
        right.push_back(rules[d].right_edge);
    }
    return with_edges(make_exact(tuples), left, right);
}

std::string described(DRI_Dist dist) {
    std::string text(4000, '\0');
    expect_success(DRI_dist_describe(dist, text.data(), text.size()), "DRI_dist_describe");
    return text.substr(0, text.find('\0'));
}

// Collective over the group of the distribution.
void expect_made_again(DRI_Dist dist) {
    Gdo gdo;
    Group group;
    expect_success(DRI_dist_get_gdo(dist, gdo.out()), "DRI_dist_get_gdo");
    expect_success(DRI_dist_get_group(dist, group.out()), "DRI_dist_get_group");
    int ndims = -1;
    expect_success(DRI_gdo_get_sizes(gdo, &ndims, nullptr), "DRI_gdo_get_sizes");
    const Dist made = make_dist(again(gdo), part_of(dist, ndims), again(group));
    EXPECT_EQ(described(made), described(dist));
    EXPECT_EQ(packed(made), packed(dist)) << described(dist);
}

void expect_made_again(DRI_Layout layout, DRI_Dist dist, int ndims) {
    std::array<int64_t, DRI_MAX_DIMS> strides{}, expected{}, found{};
    std::array<int, DRI_MAX_DIMS> order{};
    int64_t multiple = -7;
    DRI_Complex_format format{};
    expect_success(DRI_layout_get_order(layout, ndims, order.data()), "DRI_layout_get_order");
    expect_success(DRI_layout_get_options(layout, strides.data(), &multiple, &format), "DRI_layout_get_options");
    std::vector<Layout> made(1);
    if (ndims > 0 && strides[0] > 0)
        expect_success(DRI_layout_create(ndims, strides.data(), made[0].out()), "DRI_layout_create");
    else
        expect_success(DRI_layout_create_packed(ndims, order.data(), made[0].out()), "DRI_layout_create_packed");
    if (multiple != 0) {
        Layout padded;
        expect_success(DRI_layout_with_pitch(made.back(), multiple, padded.out()), "DRI_layout_with_pitch");
        made.push_back(std::move(padded));
    }
    Layout last;
    expect_success(DRI_layout_with_complex(made.back(), format, last.out()), "DRI_layout_with_complex");
    expect_success(DRI_layout_get_strides(layout, dist, world().rank, expected.data()), "DRI_layout_get_strides");
    expect_success(DRI_layout_get_strides(last, dist, world().rank, found.data()), "DRI_layout_get_strides");
    EXPECT_EQ(found, expected);
    for (int i = 1; i < ndims && strides[0] > 0; ++i) // from the largest stride to the smallest
        EXPECT_GE(strides[static_cast<size_t>(order[static_cast<size_t>(i - 1)])],
                  strides[static_cast<size_t>(order[static_cast<size_t>(i)])]);
}

void expect_made_again(DRI_Xfer xfer, const std::string &name, DRI_Role role, int nbuffs) {
    DRI_Xfer_description description{};
    Dist dist;
    DRI_Layout layout{};
    expect_success(DRI_xfer_get_description(xfer, &description, dist.out(), &layout), "DRI_xfer_get_description");
    const Layout own = unless_own<Layout>(layout, {DRI_ROW_MAJOR, DRI_COL_MAJOR});
    EXPECT_EQ(description.name, name);
    EXPECT_EQ(description.role, role);
    EXPECT_EQ(description.nbuffs, nbuffs);
    EXPECT_EQ(description.is_halo, 0);
    for (int b = 0; b < nbuffs; ++b)
        EXPECT_EQ(description.buffs[b], nullptr);
    Gdo gdo;
    expect_success(DRI_dist_get_gdo(dist, gdo.out()), "DRI_dist_get_gdo");
    int ndims = -1;
    expect_success(DRI_gdo_get_sizes(gdo, &ndims, nullptr), "DRI_gdo_get_sizes");
    expect_made_again(layout, dist, ndims);
    Xfer made;
    const std::string other = name + "'s double";
    expect_success(DRI_xfer_create(other.c_str(), description.role, dist, layout, description.nbuffs,
                                   description.buffs, made.out()),
                   "DRI_xfer_create");
    size_t bytes = 0, expected = 1;
    expect_success(DRI_xfer_buffer_bytes(xfer, &expected), "DRI_xfer_buffer_bytes");
    expect_success(DRI_xfer_buffer_bytes(made, &bytes), "DRI_xfer_buffer_bytes");
    EXPECT_EQ(bytes, expected);
}

TEST(Described, RandomCasesAreMadeAgain) {
    const int wanted = rounds(120);
    int run = 0;
    for (uint64_t seed = 0; run < wanted && sum_of(testing::Test::HasFailure() ? 1 : 0) == 0; ++seed) {
        TransferCase c = make_case(13'000 + seed, static_cast<int>(10 + seed % 40));
        if (c.world() > world().size || (c.world() < world().size && seed % 4 != 0))
            continue;
        c.source.buffers = static_cast<int>(1 + seed % 3);
        for (const DRI_Role role : {DRI_SOURCE, DRI_SINK}) {
            const CasePart part(c, role);
            if (!part)
                continue;
            const CaseEndpoint endpoint = part.declare("described");
            expect_made_again(endpoint.dist);
            expect_made_again(endpoint.xfer, "described", role,
                              role == DRI_SOURCE ? c.source.buffers : c.sink.buffers);
        }
        ++run;
    }
    EXPECT_EQ(run, wanted);
}

// A list comes back in the fewest runs, and as an empty one to a process outside the group.
TEST(Described, ListsComeBackAsRuns) {
    const int n = world().size, rank = world().rank, few = std::max(1, n - 1);
    std::vector<int64_t> own;
    for (int64_t i = rank; i < 20; i += few)
        own.push_back(i);
    Dist dist;
    if (rank < few)
        dist = make_dist(make_gdo({20, 6}),
                         make_part({{.kind = DRI_INDICES,
                                     .indices = own.data(),
                                     .nindices = std::ssize(own),
                                     .left = 1,
                                     .right_edge = DRI_WRAP},
                                    {}}),
                         make_group(ranks(few)));
    std::vector<std::byte> bytes = rank == 0 ? packed(dist) : std::vector<std::byte>();
    share(bytes);
    Dist made;
    expect_success(DRI_dist_unpack(bytes.data(), bytes.size(), made.out()), "DRI_dist_unpack");
    for (const DRI_Dist one : {made.get(), rank < few ? dist.get() : made.get()}) {
        DRI_Part_dim rule{};
        expect_success(DRI_dist_get_rule(one, 0, &rule), "DRI_dist_get_rule");
        EXPECT_EQ(rule.kind, DRI_RUNS);
        EXPECT_EQ(rule.left, 1);
        EXPECT_EQ(rule.right_edge, DRI_WRAP);
        EXPECT_EQ(rule.indices, nullptr);
        ASSERT_EQ(rule.nruns, rank < few ? 1 : 0);
        if (rule.nruns == 0)
            continue;
        EXPECT_EQ(rule.runs[0].first, rank);
        EXPECT_EQ(rule.runs[0].size, few == 1 ? 20 : 1);
        EXPECT_EQ(rule.runs[0].count, few == 1 ? 1 : std::ssize(own));
        EXPECT_EQ(rule.runs[0].step, few == 1 ? 0 : few);
        expect_success(DRI_dist_get_rule(one, 1, &rule), "DRI_dist_get_rule");
        EXPECT_EQ(rule.kind, DRI_WHOLE);
        EXPECT_EQ(rule.nruns, 0);
    }
}

// The strip in hand is that of the buffer which the caller works on.
TEST(Described, StripsInHand) {
    const StripTurn turn{.sizes = {24, 20}, .source = row_strips(8), .sink = column_strips(10)};
    const TurnEndpoint source("in hand", DRI_SOURCE, turn), sink("in hand", DRI_SINK, turn);
    const auto expect_strip = [](DRI_Xfer xfer, int64_t all, int64_t expected, int along) {
        int64_t n = 0, strip = -7;
        int dim = -7;
        expect_success(DRI_xfer_get_strips(xfer, &n, &strip, &dim, nullptr), "DRI_xfer_get_strips");
        EXPECT_EQ(n, all);
        EXPECT_EQ(strip, expected);
        EXPECT_EQ(dim, along);
    };
    expect_strip(source.xfer(), 3, -1, 0);
    expect_strip(sink.xfer(), 2, -1, 1);
    Gdo whole;
    expect_success(DRI_xfer_get_strips(sink.xfer(), nullptr, nullptr, nullptr, whole.out()),
                   "DRI_xfer_get_strips");
    std::array<int64_t, 2> sizes{};
    expect_success(DRI_gdo_get_sizes(whole, nullptr, sizes.data()), "DRI_gdo_get_sizes");
    EXPECT_EQ(sizes, (std::array<int64_t, 2>{24, 20}));
    commit(make_world());
    for (int64_t array = 0; array < 2; ++array) {
        for (int64_t k = 0; k < 3; ++k) {
            expect_strip(source.xfer(), 3, k, 0);
            source.fill(buffer_of<void>(source.xfer()), 3 * array + k);
            expect_success(DRI_do(nullptr, source.xfer()), "DRI_do");
        }
        for (int64_t k = 0; k < 2; ++k) {
            EXPECT_EQ(sink.wrong(extract(sink.xfer()), 2 * array + k), 0);
            expect_strip(sink.xfer(), 2, k, 1);
            release(sink.xfer());
        }
    }
    const Xfer plain = make_xfer("plain", DRI_SINK, make_dist(make_gdo({9}), make_blocks(1, 0), make_world()));
    expect_strip(plain, 1, -1, -1);
}

} // namespace
} // namespace dri::test
