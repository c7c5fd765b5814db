// What programs set up through the C++ interface: turns and halos in one call, agreements of groups, distributions
// as bytes, and the queries of what an object was made from.
#include "face.hpp"

#include <complex>

namespace {

using dri::Index;

TEST(FaceSetup, MakesACornerTurn) {
    const dri::Gdo<int, 2> matrix(12, 18);
    auto [rows, columns] = dri::turn("turn at once", matrix, dri::world(), 0, 1, dri::col_major, 2);
    EXPECT_EQ(rows.dist(), dri::Dist(matrix, dri::cut_dim<2>(0)));
    EXPECT_EQ(columns.layout().handle().id, DRI_COL_MAJOR.id);
    EXPECT_EQ(columns.buffers().size(), 2u);
    for (auto [at, x] : rows.elements())
        x = face::number(at);
    dri::run(rows.name());
    for (auto [at, x] : columns.elements())
        EXPECT_EQ(x, face::number(at));
    const auto [none, of_first] = dri::turn("turn of one", matrix, dri::Group{0}, 0, 1);
    EXPECT_EQ(static_cast<bool>(none), face::rank() == 0);
    EXPECT_EQ(static_cast<bool>(of_first), face::rank() == 0);
    EXPECT_EQ(face::code_of([&] { dri::turn("wrong turn", matrix, dri::world(), 0, 2); }), DRI_ERR_ARG);
}

TEST(FaceSetup, MakesAHalo) {
    const int n = 4 * face::processes();
    const dri::Gdo<int, 1> ring(n);
    const dri::Dist dist(ring, {dri::block().overlap(1, 1).edges(dri::Edge::wrap, dri::Edge::wrap)});
    auto halo = dri::halo("ring", dist);
    const int first = 4 * face::rank();
    for (int frame = 0; frame < 3; ++frame) {
        for (auto [at, x] : halo.elements())
            x = frame + static_cast<int>(at[0]);
        if (frame == 1) {
            halo.start();
            EXPECT_TRUE(halo.wait());
        } else {
            EXPECT_TRUE(halo.run());
        }
        const auto v = halo.buffer();
        EXPECT_EQ(v(0), frame + (first + n - 1) % n);
        EXPECT_EQ(v(5), frame + (first + 4) % n);
        const DRI_View view = halo.view();
        EXPECT_EQ(view.data, &v(1));
        EXPECT_EQ(view.range[0].first, first);
        EXPECT_EQ(view.range[0].size, 4);
        EXPECT_EQ(view.left[0], 1);
    }
    EXPECT_FALSE(dri::halo("no ring", dri::Dist<int, 1>()));
}

TEST(FaceSetup, AdoptsHalosAlone) {
    const dri::Dist dist(dri::Gdo<int, 1>(4 * face::processes()), {dri::block().overlap(1, 0)});
    DRI_Xfer made;
    ASSERT_EQ(DRI_halo_create("made in C", dist.handle(), 1, &made), DRI_SUCCESS);
    DRI_Xfer_description description;
    ASSERT_EQ(DRI_xfer_get_description(made, &description, nullptr, nullptr), DRI_SUCCESS);
    EXPECT_EQ(description.is_halo, 1);
    {
        auto halo = dri::Halo<int, 1>::adopt(made);
        for (auto [at, x] : halo.elements())
            x = static_cast<int>(at[0]);
        EXPECT_TRUE(halo.run());
        if (face::rank() > 0) {
            EXPECT_EQ(halo.buffer()(0), 4 * face::rank() - 1);
        }
    }
    for (const auto in_place : {dri::InPlace::no, dri::InPlace::yes}) {
        dri::Source source("no halo", dist, {.in_place = in_place});
        dri::Sink sink("no halo", dist, {.in_place = in_place});
        for (const bool committed : {false, true}) {
            if (committed)
                dri::commit();
            for (const DRI_Xfer xfer : {source.handle(), sink.handle()})
                face::expect_failure(DRI_ERR_ARG, "'no halo'", [&] { dri::Halo<int, 1>::adopt(xfer); });
        }
        EXPECT_TRUE(dri::run("no halo")) << "it is still the program's";
    }
}

TEST(FaceSetup, Agrees) {
    const dri::Group world = dri::world();
    world.agree();
    EXPECT_EQ(
        face::code_of([&] { world.agree(face::rank() == face::processes() - 1 ? DRI_ERR_LIMIT : DRI_SUCCESS); }),
        DRI_ERR_LIMIT);
    struct Part {
        int rank;
        double share;
    };
    const auto parts = world.gather(Part{face::rank(), 0.5});
    ASSERT_EQ(parts.size(), static_cast<size_t>(face::processes()));
    for (int r = 0; r < face::processes(); ++r)
        EXPECT_EQ(parts[static_cast<size_t>(r)].rank, r);
    EXPECT_EQ(world.gather(true).size(), parts.size());
    const std::vector<int64_t> mine(static_cast<size_t>(face::rank()), 7);
    const auto all = world.gather(std::span(mine));
    ASSERT_EQ(all.size(), parts.size());
    for (size_t r = 0; r < all.size(); ++r)
        EXPECT_EQ(all[r], std::vector<int64_t>(r, 7));
    std::vector<int> list(static_cast<size_t>(face::processes()));
    for (int r = 0; r < face::processes(); ++r)
        list[static_cast<size_t>(r)] = face::processes() - 1 - r;
    EXPECT_EQ(dri::Group(list).ranks(), list);
    face::expect_failure(DRI_ERR_LIMIT, "own rule", [] { dri::fail(DRI_ERR_LIMIT, "own rule"); });
    EXPECT_STREQ(DRI_error_message(), "own rule");
}

// The first process tells all others how its array lies.
TEST(FaceSetup, SendsDistributionsAsBytes) {
    const dri::Gdo<float, 2> matrix(9, 14);
    const dri::Group first{0};
    const dri::Dist made(matrix, {dri::block().overlap(1, 0), dri::cyclic(3)}, first);
    const auto all =
        dri::world().gather(std::span<const std::byte>(made ? made.pack() : std::vector<std::byte>()));
    const auto dist = dri::Dist<float, 2>::unpack(all[0]);
    EXPECT_EQ(static_cast<bool>(dist), face::rank() == 0) << "it is empty outside its group";
    EXPECT_EQ(dist.owned(0), 9 * 14);
    EXPECT_EQ(dist.owned(), face::rank() == 0 ? 9 * 14 : 0);
    EXPECT_EQ(dist.extents(), face::rank() == 0 ? dist.extents(0) : Index<2>{});
    EXPECT_EQ(dist.describe().find("float"), 0u) << dist.describe();
    EXPECT_EQ(dist.group().ranks(), std::vector<int>{0});
    EXPECT_EQ(dist == made, face::rank() == 0);
    dri::Sink sink("unpacked", dist);
    EXPECT_EQ(static_cast<bool>(sink), face::rank() == 0);
    for ([[maybe_unused]] const auto &index : dist.owned_indices())
        EXPECT_EQ(face::rank(), 0);
    EXPECT_EQ(face::code_of([&] { dri::Dist<double, 2>::unpack(all[0]); }), DRI_ERR_ARG);
    EXPECT_EQ(face::code_of([&] { dri::Dist<float, 1>::unpack(all[0]); }), DRI_ERR_ARG);
    EXPECT_EQ(face::code_of([&] { dri::Dist<float, 2>::unpack({}); }), DRI_ERR_ARG);
}

// An empty distribution has an empty part. About other processes it knows nothing.
TEST(FaceSetup, AnswersOfNothing) {
    const dri::Dist<float, 2> none;
    EXPECT_FALSE(none);
    EXPECT_EQ(none.own_rank(), -1);
    EXPECT_EQ(none.tuples()[1].right_x, 0);
    EXPECT_EQ(none.extents(), (Index<2>{}));
    EXPECT_EQ(none.owned() + none.held(), 0);
    EXPECT_EQ(none.blocks(1).size(), 0);
    EXPECT_EQ(none.owned_indices().size(), 0);
    EXPECT_EQ((dri::Dist<float, 0>().owned_indices().size()), 0);
    EXPECT_EQ(none.describe(), "empty");
    EXPECT_EQ(dri::col_major.strides(none), (Index<2>{}));
    EXPECT_EQ(dri::Layout::strides({4, 1}).strides(none), (Index<2>{}));
    EXPECT_EQ(dri::col_major.plane(none), 0);
    EXPECT_EQ(face::code_of([&] { none.owned(0); }), DRI_ERR_HANDLE);
    EXPECT_EQ(face::code_of([&] { none.gdo().sizes(); }), DRI_ERR_HANDLE);
    EXPECT_EQ(face::code_of([&] { none.group().size(); }), DRI_ERR_HANDLE);
    EXPECT_EQ(face::code_of([&] { none.pack(); }), DRI_ERR_HANDLE);
    const dri::Gdo<float, 2> matrix(4, 5);
    const dri::Dist of_first(matrix, {dri::block(), dri::whole()}, dri::Group{0});
    EXPECT_EQ(of_first.gdo().sizes(), matrix.sizes()) << "on all processes";
    EXPECT_EQ(of_first.group().size(), 1);
}

TEST(FaceSetup, ReturnsWhatObjectsAreMadeOf) {
    const dri::Gdo<float, 2> matrix(20, 30);
    const auto box = matrix.subset({2, 3}, {8, 9}).subset({1, 1}, {4, 4});
    EXPECT_EQ(box.offset(), (Index<2>{3, 4}));
    EXPECT_EQ(box.whole_sizes(), matrix.sizes());
    const dri::Dist dist(matrix, {dri::block().overlap(2, 1), dri::cyclic(3, 1)});
    EXPECT_EQ(dri::Dist(dist.gdo(), {dist.cut(0), dist.cut(1)}, dist.group()), dist);
    std::vector<int> list;
    for (int i = 19 - face::rank(); i >= 0; i -= face::processes())
        list.push_back(i);
    const dri::Dist by_list(matrix, {dri::indices(list), dri::whole()});
    EXPECT_EQ(dri::Dist(matrix, {by_list.cut(0), by_list.cut(1)}), by_list);
    size_t k = 0;
    for (const Index<2> &index : by_list.owned_indices())
        EXPECT_EQ(index[0], list[k++ / 30]);
    EXPECT_EQ(k, list.size() * 30);
    const dri::Dist piece(matrix, dri::pieces({{0, 0, 20, 0}, {0, 0, 30, 0}}), dri::Group{face::rank()});
    face::expect_failure(DRI_ERR_UNSUPPORTED, "exact pieces", [&] { piece.cut(0); });
    EXPECT_EQ((dri::Layout{1, 0}.order(2)), (std::vector<int>{1, 0}));
    EXPECT_EQ(dri::col_major.pitch(16).made().pitch, 16);
    EXPECT_TRUE(dri::col_major.split().made().split);
    EXPECT_EQ(dri::Layout::strides({40, 2}).made().strides[0], 40);
    dri::Sink sink(std::string_view("made of, and more").substr(0, 7), dist, {.layout = dri::Layout{1, 0}});
    EXPECT_EQ(sink.name(), "made of");
    EXPECT_EQ(sink.layout().order(2), (std::vector<int>{1, 0}));
    EXPECT_EQ(face::code_of([&] { dri::Sink(std::string_view(std::string(200, 'n')), dist); }), DRI_ERR_ARG);
}

TEST(FaceSetup, AdoptsOnlyWhatFits) {
    struct Pair {
        float a, b;
    };
    struct alignas(4) Four {
        char data[4];
    };
    const int64_t sizes[]{4};
    DRI_Gdo floats, pairs;
    DRI_Type pair;
    ASSERT_EQ(DRI_type_create(sizeof(Pair), alignof(Pair), &pair), DRI_SUCCESS);
    ASSERT_EQ(DRI_gdo_create(1, DRI_FLOAT, sizes, &floats), DRI_SUCCESS);
    ASSERT_EQ(DRI_gdo_create(1, pair, sizes, &pairs), DRI_SUCCESS);
    int failures = 0;
    dri::on_error([&](int, const char *) { ++failures; });
    face::expect_failure(DRI_ERR_ARG, "another type", [&] { dri::Gdo<Four, 1>::adopt(floats); });
    face::expect_failure(DRI_ERR_ARG, "another type", [&] { dri::Gdo<std::complex<float>, 1>::adopt(pairs); });
    EXPECT_EQ((dri::Gdo<Pair, 1>::adopt(pairs).size()), 4);
    dri::on_error(nullptr);
    EXPECT_EQ(failures, 2) << "no predefined type is destroyed";
    ASSERT_EQ(DRI_gdo_destroy(&floats), DRI_SUCCESS);
    ASSERT_EQ(DRI_type_destroy(&pair), DRI_SUCCESS);
    DRI_Part none, two;
    ASSERT_EQ(DRI_part_create_rule(0, nullptr, &none), DRI_SUCCESS);
    ASSERT_EQ(DRI_part_create_blocks(2, 0, &two), DRI_SUCCESS);
    face::expect_failure(DRI_ERR_ARG, "0 dimensions, not 2", [&] { dri::Partition<2>::adopt(none); });
    face::expect_failure(DRI_ERR_ARG, "2 dimensions, not 0", [&] { dri::Partition<0>::adopt(two); });
    const auto scalar = dri::Partition<0>::adopt(none);
    EXPECT_EQ(dri::Dist(dri::Gdo<int, 0>{}, scalar).owned(), 1);
    EXPECT_EQ(dri::Dist(dri::Gdo<int, 0>{}, scalar.turned({})).owned(), 1);
    EXPECT_EQ(dri::Dist(dri::Gdo<int, 0>{}, dri::Partition<0>::pieces({})).owned(), 1);
    ASSERT_EQ(DRI_part_destroy(&two), DRI_SUCCESS);
}

} // namespace
