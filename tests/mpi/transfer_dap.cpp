// Arrays of the Distributed Array Protocol as sources and sinks: random descriptions, compared element by element.
#include "support/dap_arrays.hpp"
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <optional>

namespace dri::test {
namespace {

struct DapEnd {
    Dist dist;
    Layout layout;
    void *origin = nullptr;

    DapEnd(const DRI_Dap &dap, DRI_Group group, DRI_Dap_view view) {
        expect_success(DRI_dap_import(&dap, DRI_INT64, group, view, dist.out(), layout.out(), &origin),
                       "DRI_dap_import");
    }
    Xfer xfer(DRI_Role role) const {
        Xfer made;
        expect_success(DRI_xfer_create("dap", role, dist, layout, 1, &origin, made.out()), "DRI_xfer_create");
        return made;
    }
};

std::vector<int64_t> random_sizes(Dice &dice) {
    std::vector<int64_t> sizes;
    for (int64_t d = dice.range(1, 3); d > 0; --d)
        sizes.push_back(dice.chance(5) ? 0 : dice.range(1, 14));
    return sizes;
}

// The own part of an array, or nothing.
std::optional<DapMemory> own_part(Dice &dice, const DapArray &array) {
    if (!array.holds(world().rank))
        return {};
    return std::make_optional<DapMemory>(dice, array, array.position_of(world().rank));
}

constexpr int64_t not_there = -5;

void expect_moved(uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const std::vector<int64_t> sizes = random_sizes(dice);
    const DapArray from = make_dap_array(dice, sizes, world().size, DapUse::source);
    const DapArray to = make_dap_array(dice, sizes, world().size, DapUse::sink);
    Dice own_dice(seed * 100 + static_cast<uint64_t>(world().rank)); // memory differs between processes
    std::optional<DapMemory> given = own_part(own_dice, from), got = own_part(own_dice, to);
    Xfer source, sink;
    if (given) {
        given->for_each([](int64_t &value, const auto &names, bool is_owned) {
            value = is_owned ? value_of(names) : not_there;
        });
        given->dap().readonly = 1;
        source = DapEnd(given->dap(), make_group(from.ranks), DRI_DAP_SOURCE).xfer(DRI_SOURCE);
    }
    if (got) {
        got->for_each([](int64_t &value, const auto &, bool) { value = not_there; });
        sink = DapEnd(got->dap(), make_group(to.ranks), DRI_DAP_SINK).xfer(DRI_SINK);
    }
    commit(make_world());
    if (given || got)
        expect_success(DRI_do("dap", DRI_XFER_NULL), "DRI_do");
    int wrong = 0;
    if (given)
        given->for_each([&](int64_t &value, const auto &names, bool is_owned) {
            wrong += value != (is_owned ? value_of(names) : not_there);
        });
    if (got)
        got->for_each([&](int64_t &value, const auto &names, bool) { wrong += value != value_of(names); });
    EXPECT_EQ(wrong, 0);
    EXPECT_TRUE(!given || given->gaps_are_whole());
    EXPECT_TRUE(!got || got->gaps_are_whole());
}

void expect_updated(uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    const DapArray array = make_dap_array(dice, random_sizes(dice), world().size, DapUse::update);
    Dice own_dice(seed * 100 + static_cast<uint64_t>(world().rank));
    std::optional<DapMemory> own = own_part(own_dice, array);
    if (!own)
        return;
    own->for_each(
        [](int64_t &value, const auto &names, bool is_owned) { value = is_owned ? value_of(names) : not_there; });
    const DapEnd end(own->dap(), make_group(array.ranks), DRI_DAP_UPDATE);
    EXPECT_EQ(end.origin, own->dap().buffer);
    Xfer source = end.xfer(DRI_SOURCE), sink = end.xfer(DRI_SINK);
    for (const DRI_Xfer xfer : {source.get(), sink.get()})
        expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_IN_PLACE, DRI_IN_PLACE), "DRI_xfer_set_attr");
    Group group;
    expect_success(DRI_dist_get_group(end.dist, group.out()), "DRI_dist_get_group");
    const DRI_Xfer both[]{source, sink};
    expect_success(DRI_commit_ends(group, 2, both), "DRI_commit_ends");
    expect_success(DRI_do(nullptr, source), "DRI_do");
    int wrong = 0;
    own->for_each([&](int64_t &value, const auto &names, bool) { wrong += value != value_of(names); });
    EXPECT_EQ(wrong, 0);
    EXPECT_TRUE(own->gaps_are_whole());
}

// Until some process has a failure.
template <class Run> void expect_all(uint64_t first_seed, int rounds, const Run &run) {
    for (int i = 0; i < rounds; ++i) {
        run(first_seed + static_cast<uint64_t>(i));
        if (sum_of(testing::Test::HasFailure()) > 0)
            FAIL() << "after seed " << first_seed + static_cast<uint64_t>(i);
    }
}

TEST(DapTransfers, MoveRandomArrays) { expect_all(1000, 40, expect_moved); }
TEST(DapTransfers, UpdateRandomArrays) { expect_all(2000, 40, expect_updated); }

// A source has no overlap where widths of padding differ beside other kinds of dimensions.
bool keeps_padding(const DapArray &array) {
    bool is_all_blocks = true, has_one_width = true;
    for (const DapAxis &axis : array.axes) {
        is_all_blocks = is_all_blocks && axis.dims[0].dist_type == 'b';
        for (size_t c = 1; c < axis.dims.size(); ++c)
            has_one_width = has_one_width && axis.dims[c].padding[0] == axis.dims[1].padding[0];
    }
    return is_all_blocks || has_one_width;
}

// The export of an import says the same.
TEST(DapTransfers, ComeBackAsTheyWere) {
    for (uint64_t seed = 3000; seed < 3040; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Dice dice(seed);
        const DapArray array = make_dap_array(dice, random_sizes(dice), world().size, DapUse::source);
        Dice own_dice(seed * 100 + static_cast<uint64_t>(world().rank));
        std::optional<DapMemory> own = own_part(own_dice, array);
        if (!own)
            continue;
        DRI_Dap given = own->dap(), again;
        expect_success(DRI_dap_write_out(&given), "DRI_dap_write_out");
        const DapEnd end(given, make_group(array.ranks), DRI_DAP_SOURCE);
        if (!keeps_padding(array))
            continue;
        EXPECT_EQ(end.origin, given.buffer);
        std::vector<int64_t> boundary;
        for (const DapAxis &axis : array.axes) {
            boundary.push_back(axis.dims.front().dist_type == 'b' ? axis.dims.front().padding[0] : 0);
            boundary.push_back(axis.dims.back().dist_type == 'b' ? axis.dims.back().padding[1] : 0);
        }
        const auto *const pairs = reinterpret_cast<const int64_t(*)[2]>(boundary.data());
        expect_success(DRI_dap_export(end.dist, world().rank, end.layout, end.origin, pairs, nullptr, &again),
                       "DRI_dap_export");
        const bool has_elements = std::count(given.shape, given.shape + given.ndims, 0) == 0;
        for (int d = 0; d < given.ndims; ++d) {
            const DRI_Dap_dim &a = given.dim_data[d], &b = again.dim_data[d];
            EXPECT_EQ(a.dist_type, b.dist_type);
            EXPECT_EQ(a.size, b.size);
            EXPECT_EQ(a.proc_grid_size, b.proc_grid_size);
            EXPECT_EQ(a.proc_grid_rank, b.proc_grid_rank);
            EXPECT_EQ(a.start, b.start);
            EXPECT_EQ(a.stop, b.stop);
            EXPECT_EQ(a.padding[0], b.padding[0]);
            EXPECT_EQ(a.padding[1], b.padding[1]);
            EXPECT_EQ(a.block_size, b.block_size);
            EXPECT_EQ(std::vector<int64_t>(a.indices, a.indices + a.nindices),
                      std::vector<int64_t>(b.indices, b.indices + b.nindices));
            EXPECT_EQ(given.shape[d], again.shape[d]);
            // Strides along which nothing lies do not matter.
            if (given.shape[d] > 1 && has_elements) {
                EXPECT_EQ(given.strides[d], again.strides[d]);
            }
        }
        DRI_dap_free(&again);
    }
}

// Labels of a mesh, held by one to all processes on either side. Each label is its own value.
TEST(DapLabels, BecomeIndices) {
    for (uint64_t seed = 4000; seed < 4020; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Dice dice(seed);
        const int64_t n = dice.range(1, 30);
        const DapArray from = make_dap_array(dice, {n}, world().size, DapUse::source, 'u');
        const DapArray to = make_dap_array(dice, {n}, world().size, DapUse::sink, 'u');
        const auto label_of = [&](int64_t index) { return (index - n / 2) * 1'000'000'007 + index % 3; };
        Dice own_dice(seed * 100 + static_cast<uint64_t>(world().rank));
        std::optional<DapMemory> given = own_part(own_dice, from), got = own_part(own_dice, to);
        std::vector<int64_t> given_labels, got_labels;
        const auto relabelled = [&](std::optional<DapMemory> &part, std::vector<int64_t> &labels) {
            if (!part)
                return static_cast<DRI_Dap *>(nullptr);
            DRI_Dap_dim &dim = part->dap().dim_data[0];
            for (int64_t i = 0; i < dim.nindices; ++i)
                labels.push_back(label_of(dim.indices[i]));
            dim.indices = labels.data();
            return &part->dap();
        };
        DRI_Dap *const source = relabelled(given, given_labels), *const sink = relabelled(got, got_labels);
        std::vector<int64_t> source_at(given_labels.size()), sink_at(got_labels.size());
        int64_t count = -1;
        expect_success(DRI_dap_relabel(make_world(), 0, source, sink, source_at.data(), sink_at.data(), &count),
                       "DRI_dap_relabel");
        EXPECT_EQ(count, n);
        // The order of the labels is that of the indices that they were made from.
        const auto expect_places = [&](const std::vector<int64_t> &labels, const std::vector<int64_t> &places) {
            for (size_t i = 0; i < labels.size(); ++i)
                EXPECT_EQ(label_of(places[i]), labels[i]);
        };
        expect_places(given_labels, source_at);
        expect_places(got_labels, sink_at);
    }
}

TEST(DapLabels, OfTheSinkAreThoseOfTheSource) {
    const int64_t at_source[]{100 + world().rank}, at_sink[]{100, 100 + world().size};
    const auto list = [](const int64_t indices[], int64_t n) {
        DRI_Dap dap{};
        dap.buffer = &dap;
        dap.itemsize = 8;
        dap.ndims = 1;
        dap.shape[0] = n;
        DRI_Dap_dim &dim = dap.dim_data[0];
        dim.dist_type = 'u';
        dim.keys = DRI_DAP_SIZE | DRI_DAP_GRID_SIZE | DRI_DAP_GRID_RANK | DRI_DAP_INDICES;
        dim.proc_grid_size = world().size;
        dim.proc_grid_rank = world().rank;
        dim.indices = indices;
        dim.nindices = n;
        return dap;
    };
    const DRI_Dap source = list(at_source, 1), sink = list(at_sink, 2);
    int64_t source_at[1], sink_at[2], n = 0;
    const DRI_Dap *const own_sink = world().rank == world().size - 1 ? &sink : nullptr;
    EXPECT_EQ(DRI_dap_relabel(make_world(), 0, &source, own_sink, source_at, sink_at, &n), DRI_ERR_MISMATCH);
    const std::string message = DRI_error_message(), last = std::to_string(world().size - 1);
    EXPECT_NE(message.find("process " + last + ": the sink has label " + std::to_string(100 + world().size)),
              std::string::npos)
        << message;
}

} // namespace
} // namespace dri::test
