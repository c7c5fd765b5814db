// Wrong calls of the queries that return what objects were made from, of packed distributions and of runs; and how
// a program reports failures of its own.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"
#include "support/wrong_call.hpp"

#include <array>

namespace dri::test {
namespace {

std::array<int64_t, DRI_MAX_DIMS> any_longs{};
std::array<int, DRI_MAX_DIMS> any_ints{};

TEST(WrongDescriptions, OfObjectsAreRefused) {
    const Gdo gdo = make_gdo({6, 4});
    const Group group = make_world();
    const Dist dist = make_dist(gdo, make_blocks(2, 0), group);
    const int64_t strides[]{8, 1};
    const int turned[]{1, 0};
    Layout strided, packed;
    expect_success(DRI_layout_create(2, strides, strided.out()), "DRI_layout_create");
    expect_success(DRI_layout_create_packed(2, turned, packed.out()), "DRI_layout_create_packed");
    const DRI_Gdo g = gdo;
    const DRI_Dist d = dist;
    const auto order = [](DRI_Layout layout, int n) {
        return [=] { return DRI_layout_get_order(layout, n, any_ints.data()); };
    };
    const auto rule = [](DRI_Dist of, int dim) {
        return [=] {
            DRI_Part_dim out{};
            return DRI_dist_get_rule(of, dim, &out);
        };
    };
    expect_refused({
        {"size of null", [] { return DRI_type_get_size({}, nullptr, nullptr); }, DRI_ERR_HANDLE, {}},
        {"size of a GDO",
         [g] { return DRI_type_get_size(as<DRI_Type>(g), nullptr, nullptr); },
         DRI_ERR_HANDLE,
         {}},
        {"type of null", makes<DRI_Type>([](DRI_Type *o) { return DRI_gdo_get_type({}, o); }), DRI_ERR_HANDLE, {}},
        {"no output for the type", [g] { return DRI_gdo_get_type(g, nullptr); }, DRI_ERR_ARG, {"type"}},
        {"offset of null", [] { return DRI_gdo_get_offset({}, any_longs.data(), nullptr); }, DRI_ERR_HANDLE, {}},
        {"ranks of null", [] { return DRI_group_get_ranks({}, any_ints.data()); }, DRI_ERR_HANDLE, {}},
        {"no output for the ranks", [&] { return DRI_group_get_ranks(group, nullptr); }, DRI_ERR_ARG, {"ranks"}},
        {"GDO of null", makes<DRI_Gdo>([](DRI_Gdo *o) { return DRI_dist_get_gdo({}, o); }), DRI_ERR_HANDLE, {}},
        {"no output for the GDO", [d] { return DRI_dist_get_gdo(d, nullptr); }, DRI_ERR_ARG, {"gdo"}},
        {"group of null",
         makes<DRI_Group>([](DRI_Group *o) { return DRI_dist_get_group({}, o); }),
         DRI_ERR_HANDLE,
         {}},
        {"no output for the group", [d] { return DRI_dist_get_group(d, nullptr); }, DRI_ERR_ARG, {"group"}},
        {"rule of null", rule({}, 0), DRI_ERR_HANDLE, {}},
        {"rule of a GDO", rule(as<DRI_Dist>(g), 0), DRI_ERR_HANDLE, {"GDO"}},
        {"rule of dimension -1", rule(d, -1), DRI_ERR_ARG, {"dim is -1", "2 dimensions"}},
        {"rule of dimension 2", rule(d, 2), DRI_ERR_ARG, {"dim is 2", "2 dimensions"}},
        {"no output for the rule", [d] { return DRI_dist_get_rule(d, 0, nullptr); }, DRI_ERR_ARG, {"rule"}},
        {"order of null", order({}, 2), DRI_ERR_HANDLE, {}},
        {"order of 3 of 2 dimensions", order(packed, 3), DRI_ERR_ARG, {"2 dimensions", "3"}},
        {"order of 1 of 2 strides", order(strided, 1), DRI_ERR_ARG, {"2 dimensions", "1"}},
        {"order of 9 dimensions", order(DRI_ROW_MAJOR, 9), DRI_ERR_ARG, {"9", "8"}},
        {"no output for the order",
         [] { return DRI_layout_get_order(DRI_COL_MAJOR, 1, nullptr); },
         DRI_ERR_ARG,
         {"order"}},
        {"options of null",
         [] { return DRI_layout_get_options({}, any_longs.data(), nullptr, nullptr); },
         DRI_ERR_HANDLE,
         {}},
    });
}

TEST(WrongDescriptions, OfEndpointsAreRefused) {
    const Gdo gdo = make_gdo({6, 4});
    const Dist dist = make_dist(gdo, make_blocks(2, 0), make_world());
    Xfer xfer = make_xfer("gone", DRI_SINK, dist);
    const DRI_Xfer old = xfer, wrong = as<DRI_Xfer>(dist.get());
    xfer.reset();
    const auto description = [](DRI_Xfer of) {
        return makes<DRI_Dist>([=](DRI_Dist *dist_out) {
            DRI_Layout layout{5};
            const int code = DRI_xfer_get_description(of, nullptr, dist_out, &layout);
            if (layout.id != 0)
                note_output_not_nulled();
            return code;
        });
    };
    const auto strips = [](DRI_Xfer of) {
        return makes<DRI_Gdo>(
            [=](DRI_Gdo *whole) { return DRI_xfer_get_strips(of, nullptr, nullptr, nullptr, whole); });
    };
    expect_refused({
        {"description of null", description({}), DRI_ERR_HANDLE, {}},
        {"description of a distribution", description(wrong), DRI_ERR_HANDLE, {"distribution"}},
        {"description of a destroyed endpoint", description(old), DRI_ERR_HANDLE, {}},
        {"strips of null", strips({}), DRI_ERR_HANDLE, {}},
        {"strips of a distribution", strips(wrong), DRI_ERR_HANDLE, {"distribution"}},
        {"strips of a destroyed endpoint", strips(old), DRI_ERR_HANDLE, {}},
    });
}

} // namespace
} // namespace dri::test
