// Objects of descriptions through the C++ interface, against the same objects made by the C interface.
#include "face.hpp"

#include <complex>
#include <type_traits>

namespace {

using dri::Index;

TEST(FaceElements, EachTypeIsTheLibrarys) {
    EXPECT_EQ(dri::element<int8_t>::predefined().id, DRI_INT8.id);
    EXPECT_EQ(dri::element<unsigned char>::predefined().id, DRI_UINT8.id);
    EXPECT_EQ(dri::element<short>::predefined().id, DRI_INT16.id);
    EXPECT_EQ(dri::element<uint16_t>::predefined().id, DRI_UINT16.id);
    EXPECT_EQ(dri::element<int>::predefined().id, DRI_INT32.id);
    EXPECT_EQ(dri::element<unsigned>::predefined().id, DRI_UINT32.id);
    EXPECT_EQ(dri::element<long>::predefined().id, DRI_INT64.id);
    EXPECT_EQ(dri::element<long long>::predefined().id, DRI_INT64.id);
    EXPECT_EQ(dri::element<unsigned long long>::predefined().id, DRI_UINT64.id);
    EXPECT_EQ(dri::element<float>::predefined().id, DRI_FLOAT.id);
    EXPECT_EQ(dri::element<double>::predefined().id, DRI_DOUBLE.id);
    EXPECT_EQ(dri::element<std::complex<float>>::predefined().id, DRI_COMPLEX_FLOAT.id);
    EXPECT_EQ(dri::element<std::complex<double>>::predefined().id, DRI_COMPLEX_DOUBLE.id);
    EXPECT_EQ(dri::element<dri::cint8>::predefined().id, DRI_COMPLEX_INT8.id);
    EXPECT_EQ(dri::element<dri::cint16>::predefined().id, DRI_COMPLEX_INT16.id);
    struct Record {
        char name[5];
        double value;
    };
    EXPECT_EQ(dri::element<Record>::predefined().id, 0u);
    EXPECT_EQ(dri::element<bool>::predefined().id, 0u) << "bool is a record";
    EXPECT_EQ((dri::Gdo<Record, 2>(3, 5).bytes()), 15 * static_cast<int64_t>(sizeof(Record)));
    EXPECT_EQ((dri::Gdo<bool, 1>(7).bytes()), 7);
    EXPECT_EQ(dri::element<std::complex<int16_t>>::predefined().id, DRI_COMPLEX_INT16.id);
}

TEST(FaceGdo, HasSizes) {
    const dri::Gdo<float, 3> gdo(4, 5, 6);
    EXPECT_EQ(gdo.sizes(), (Index<3>{4, 5, 6}));
    EXPECT_EQ(gdo.size(), 120);
    EXPECT_EQ(gdo.bytes(), 480);
    EXPECT_EQ((dri::Gdo<float, 3>(Index<3>{4, 5, 6}).sizes()), gdo.sizes());
    const auto box = gdo.subset({1, 0, 2}, {3, 5, 4});
    EXPECT_EQ(box.sizes(), (Index<3>{3, 5, 4}));
    const dri::Gdo<int, 0> one;
    EXPECT_EQ(one.size(), 1);
    EXPECT_EQ((dri::Gdo<char, 8>(1, 2, 1, 2, 1, 2, 1, 2).size()), 16);
    const dri::Gdo<float, 3> copy = gdo;
    EXPECT_EQ(copy.handle().id, gdo.handle().id) << "copies share one handle";
    face::expect_failure(DRI_ERR_ARG, "do not lie inside", [&] { gdo.subset({2, 0, 0}, {3, 5, 6}); });
    face::expect_failure(DRI_ERR_ARG, "", [&] { dri::Gdo<float, 1>(-1); });
}

TEST(FaceGdo, IsAdopted) {
    const int64_t sizes[]{3, 4};
    DRI_Gdo handle;
    ASSERT_EQ(DRI_gdo_create(2, DRI_FLOAT, sizes, &handle), DRI_SUCCESS);
    face::expect_failure(DRI_ERR_ARG, "2 dimensions, not 3", [&] { dri::Gdo<float, 3>::adopt(handle); });
    face::expect_failure(DRI_ERR_ARG, "another type", [&] { dri::Gdo<double, 2>::adopt(handle); });
    face::expect_failure(DRI_ERR_ARG, "another type", [&] { dri::Gdo<int, 2>::adopt(handle); });
    {
        const auto gdo = dri::Gdo<float, 2>::adopt(handle);
        EXPECT_EQ(gdo.sizes(), (Index<2>{3, 4}));
        EXPECT_EQ(gdo.handle().id, handle.id);
    }
    EXPECT_EQ(DRI_gdo_destroy(&handle), DRI_ERR_HANDLE) << "it was the object's";
    face::expect_failure(DRI_ERR_HANDLE, "", [] { dri::Gdo<float, 2>::adopt(DRI_Gdo{}); });
}

TEST(FaceGroup, HasPositions) {
    EXPECT_EQ(dri::world().size(), face::processes());
    EXPECT_EQ(dri::world().position(), face::rank());
    const auto last = dri::Group{face::processes() - 1};
    EXPECT_EQ(last.size(), 1);
    EXPECT_EQ(last.position(), face::rank() == face::processes() - 1 ? 0 : -1);
    EXPECT_EQ(dri::Group::ranks(0, face::processes()).size(), face::processes());
    const std::vector<int> reversed{face::processes() - 1, 0};
    if (face::processes() > 1) {
        EXPECT_EQ(dri::Group(reversed).position(), face::rank() == 0 ? 1 : last.position());
    }
    face::expect_failure(DRI_ERR_ARG, "", [] { dri::Group::ranks(1, 1); });
    face::expect_failure(DRI_ERR_HANDLE, "", [] { dri::Group::adopt(DRI_Group{}); });
}

// The distribution of the same rule by the C interface.
dri::Dist<float, 2> by_c(const DRI_Part_dim &first, const DRI_Part_dim &second, const Index<2> &sizes) {
    DRI_Gdo gdo;
    DRI_Part part;
    DRI_Group group;
    DRI_Dist dist;
    const DRI_Part_dim dims[]{first, second};
    EXPECT_EQ(DRI_gdo_create(2, DRI_FLOAT, sizes.data(), &gdo), DRI_SUCCESS);
    EXPECT_EQ(DRI_part_create_rule(2, dims, &part), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(DRI_group_create_world(&group), DRI_SUCCESS);
    EXPECT_EQ(DRI_dist_create(gdo, part, group, &dist), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(DRI_gdo_destroy(&gdo), DRI_SUCCESS);
    EXPECT_EQ(DRI_part_destroy(&part), DRI_SUCCESS);
    EXPECT_EQ(DRI_group_destroy(&group), DRI_SUCCESS);
    return dri::Dist<float, 2>::adopt(dist);
}

TEST(FaceCuts, AreTheRulesOfTheCInterface) {
    const int n = face::processes();
    const Index<2> sizes{23, 17};
    const dri::Gdo<float, 2> gdo(sizes);
    const auto expect_equal = [&](const dri::Cut &cut, const DRI_Part_dim &rule) {
        EXPECT_EQ(dri::Dist(gdo, {cut, dri::whole()}), by_c(rule, DRI_Part_dim{}, sizes));
        EXPECT_EQ(dri::Dist(gdo, dri::Partition(dri::whole(), cut)), by_c(DRI_Part_dim{}, rule, sizes));
    };
    DRI_Part_dim rule{};
    rule.kind = DRI_BLOCK;
    expect_equal(dri::block(), rule);
    rule.nparts = n;
    rule.remainder = DRI_CEIL;
    expect_equal(dri::block(n, dri::Remainder::ceil), rule);
    rule.remainder = DRI_BALANCED_LAST;
    expect_equal(dri::block(n, dri::Remainder::balanced_last), rule);
    rule.remainder = DRI_PROPORTIONAL;
    expect_equal(dri::block(n, dri::Remainder::proportional), rule);
    rule = {};
    rule.kind = DRI_BLOCK;
    rule.left = 2;
    rule.right = 1;
    rule.left_edge = DRI_WRAP;
    rule.right_edge = DRI_PAD_REPLICATE;
    expect_equal(dri::block().overlap(2, 1).edges(dri::Edge::wrap, dri::Edge::replicate), rule);
    rule = {};
    rule.kind = DRI_BLOCK;
    rule.min = 2;
    rule.max = 20;
    rule.multiple = n > 1 ? 4 : 1;
    if (n > 1)
        expect_equal(dri::block().min(2).max(20).multiple(4), rule);
    rule = {};
    rule.kind = DRI_BLOCK_CYCLIC;
    rule.block = 3;
    expect_equal(dri::cyclic(3), rule);
    rule.block = 1;
    rule.nparts = n;
    expect_equal(dri::cyclic(1, n), rule);
}

TEST(FaceCuts, TakeRanges) {
    const int n = face::processes();
    const Index<2> sizes{23, 23};
    const dri::Gdo<float, 2> gdo(sizes);
    std::vector<int> pieces(static_cast<size_t>(n), 1);
    pieces.back() = 24 - n;
    const std::vector<int64_t> same(pieces.begin(), pieces.end());
    DRI_Part_dim rule{};
    rule.kind = DRI_SIZES;
    rule.nparts = n;
    rule.sizes = same.data();
    EXPECT_EQ(dri::Dist(gdo, {dri::sizes(pieces), dri::whole()}), by_c(rule, DRI_Part_dim{}, sizes));

    const std::vector<double> numbers(pieces.begin(), pieces.end());
    rule = {};
    rule.kind = DRI_WEIGHTS;
    rule.nparts = n;
    rule.weights = numbers.data();
    EXPECT_EQ(dri::Dist(gdo, {dri::weights(pieces), dri::whole()}), by_c(rule, DRI_Part_dim{}, sizes));

    std::vector<int64_t> mine; // the indices in reverse, dealt to the processes
    for (int64_t i = 22; i >= 0; --i)
        if (i % n == face::rank())
            mine.push_back(i);
    rule = {};
    rule.kind = DRI_INDICES;
    rule.indices = mine.data();
    rule.nindices = static_cast<int64_t>(mine.size());
    EXPECT_EQ(dri::Dist(gdo, {dri::whole(), dri::indices(mine)}), by_c(DRI_Part_dim{}, rule, sizes));
    const DRI_Run run{22 - face::rank(), 1, static_cast<int64_t>(mine.size()),
                      -n}; // where 22 % n is 0, the same list
    if (22 % n == 0) {
        EXPECT_EQ(dri::Dist(gdo, {dri::whole(), dri::runs({run})}).owned(), 23 * run.count);
    }
    rule = {};
    rule.kind = DRI_BLOCK_CYCLIC;
    rule.block = 3;
    rule.nparts = n;
    rule.phase = n - 1;
    EXPECT_EQ(dri::Dist(gdo, {dri::cyclic(3, n, n - 1), dri::whole()}), by_c(rule, DRI_Part_dim{}, sizes));
    const dri::Dist alone(gdo, {dri::sizes({23}), dri::weights({1.5})}, dri::Group{face::rank()});
    EXPECT_EQ(alone.owned(), 23 * 23);
    EXPECT_EQ(
        (dri::Dist(dri::Gdo<float, 1>(3), {dri::indices({2, 0, 1})}, dri::Group{face::rank()}).global_index({0})),
        (Index<1>{2}));
}

TEST(FacePartition, IsMadeInEachWay) {
    const int n = face::processes(), me = face::rank();
    const dri::Gdo<float, 2> gdo(8 * n, 6);
    const dri::Partition rows(dri::block(), dri::whole());
    const dri::Dist by_rows(gdo, rows);
    EXPECT_EQ(by_rows, dri::Dist(gdo, dri::cut_dim<2>(0)));
    EXPECT_EQ(by_rows, dri::Dist(gdo, dri::pieces({{0, 8 * me, 8 * me + 8, 0}, {0, 0, 6, 0}})));
    EXPECT_EQ(by_rows, dri::Dist(gdo, dri::Partition(dri::whole(), dri::block()).turned({1, 0})));
    EXPECT_EQ(by_rows, dri::Dist(gdo, dri::Partition<2>(std::array{dri::block(), dri::whole()})));
    const dri::Partition wide(dri::block().overlap(1, 1), dri::whole());
    EXPECT_EQ(dri::Dist(gdo, wide.with_edges({dri::Edge::wrap, dri::Edge::truncate},
                                             {dri::Edge::zero, dri::Edge::truncate})),
              dri::Dist(gdo, {dri::block().overlap(1, 1).edges(dri::Edge::wrap, dri::Edge::zero), dri::whole()}));
    const dri::Dist scalar(dri::Gdo<float, 0>{}, dri::Partition<0>{});
    EXPECT_EQ(scalar.owned(), 1);
    DRI_Part handle;
    ASSERT_EQ(DRI_part_create_blocks(2, 0, &handle), DRI_SUCCESS);
    EXPECT_EQ(face::code_of([&] { dri::Partition<3>::adopt(handle); }), DRI_ERR_ARG);
    EXPECT_EQ(face::code_of([&] { dri::Partition<1>::adopt(handle); }), DRI_ERR_ARG);
    EXPECT_EQ(by_rows, dri::Dist(gdo, dri::Partition<2>::adopt(handle)));
    face::expect_failure(DRI_ERR_ARG, "", [] { dri::Partition p(dri::cyclic(0), dri::whole()); });
}

TEST(FaceDist, AnswersAsTheCInterface) {
    const dri::Gdo<float, 2> gdo(21, 13);
    const dri::Dist dist(gdo, {dri::block().overlap(2, 1), dri::cyclic(2)});
    for (int rank = 0; rank < face::processes(); ++rank) {
        DRI_Part_tuple tuples[2];
        int64_t extents[2], owned, held;
        int coords[2];
        ASSERT_EQ(DRI_dist_get_part(dist.handle(), rank, tuples), DRI_SUCCESS);
        ASSERT_EQ(DRI_dist_get_extents(dist.handle(), rank, extents), DRI_SUCCESS);
        ASSERT_EQ(DRI_dist_get_count(dist.handle(), rank, &owned, &held), DRI_SUCCESS);
        ASSERT_EQ(DRI_dist_get_coords(dist.handle(), rank, coords), DRI_SUCCESS);
        for (size_t d = 0; d < 2; ++d) {
            EXPECT_EQ(dist.tuples(rank)[d].left_v, tuples[d].left_v);
            EXPECT_EQ(dist.tuples(rank)[d].left_x, tuples[d].left_x);
            EXPECT_EQ(dist.tuples(rank)[d].right_x, tuples[d].right_x);
            EXPECT_EQ(dist.tuples(rank)[d].right_v, tuples[d].right_v);
            EXPECT_EQ(dist.extents(rank)[d], extents[d]);
            EXPECT_EQ(dist.coords(rank)[d], coords[d]);
        }
        EXPECT_EQ(dist.owned(rank), owned);
        EXPECT_EQ(dist.held(rank), held);
    }
    EXPECT_EQ(dist.extents(), dist.extents(face::rank()));
    EXPECT_EQ(dist.owned(), dist.owned(face::rank()));
    EXPECT_EQ(dist.held(), dist.held(face::rank()));
    EXPECT_EQ(dist.coords(), dist.coords(face::rank()));
    EXPECT_EQ(dist.tuples()[0].left_x, dist.tuples(face::rank())[0].left_x);
    EXPECT_EQ(dist.grid()[0] * dist.grid()[1], face::processes());
    EXPECT_NE(dist.describe().find("[21,13]"), std::string::npos) << dist.describe();
    EXPECT_FALSE(dist == dri::Dist(dri::Gdo<float, 2>(22, 13), {dri::block().overlap(2, 1), dri::cyclic(2)}));
    face::expect_failure(DRI_ERR_ARG, "", [&] { dist.owner({21, 0}); });
    face::expect_failure(DRI_ERR_ARG, "", [&] { dist.extents(face::processes()); });
}

TEST(FaceDist, HasBlocksAndIndices) {
    const dri::Dist dist(dri::Gdo<float, 2>(21, 13), {dri::block(), dri::cyclic(2)});
    int64_t all = 0;
    for (int rank = 0; rank < face::processes(); ++rank) {
        const auto blocks = dist.blocks(rank, 1);
        int64_t n = 0;
        ASSERT_EQ(DRI_dist_num_blocks(dist.handle(), rank, 1, &n), DRI_SUCCESS);
        ASSERT_EQ(blocks.size(), n);
        for (int64_t i = 0; i < n; ++i) {
            DRI_Block block;
            ASSERT_EQ(DRI_dist_get_block(dist.handle(), rank, 1, i, &block), DRI_SUCCESS);
            EXPECT_EQ(blocks[i].global, block.global);
            EXPECT_EQ(blocks.begin()[i].local, block.local);
        }
        EXPECT_EQ(blocks.end() - blocks.begin(), n);
        static_assert(std::random_access_iterator<decltype(blocks.begin())>);
        int64_t found = 0;
        Index<2> before{-1, -1};
        for (const Index<2> &index : dist.owned_indices(rank)) {
            const auto replicas = dist.replicas(index);
            EXPECT_NE(std::find(replicas.begin(), replicas.end(), rank), replicas.end());
            EXPECT_EQ(dist.global_index(rank, dist.local_index(rank, index)), index);
            EXPECT_LT(before, index) << "the last dimension is the fastest";
            before = index;
            ++found;
        }
        EXPECT_EQ(found, dist.owned(rank));
        all += found;
    }
    EXPECT_EQ(all, 21 * 13);
    EXPECT_EQ(dist.owned_indices().size(), dist.owned());
    EXPECT_EQ(dist.blocks(0).size(), dist.blocks(face::rank(), 0).size());
    EXPECT_EQ(dist.owner({0, 0}), 0);
    EXPECT_EQ(dist.gdo().sizes(), (Index<2>{21, 13}));
    EXPECT_EQ(dist.group().size(), face::processes());
    if (dist.owned() > 0) {
        EXPECT_EQ(dist.owner(dist.owned_indices()[0]), face::rank());
        EXPECT_EQ(dist.local_index(dist.global_index({0, 0})), (Index<2>{0, 0}));
    }
}

TEST(FaceDist, IsEmptyOutsideItsGroup) {
    const dri::Dist dist(dri::Gdo<float, 1>(8), {dri::block()}, dri::Group{0});
    EXPECT_EQ(static_cast<bool>(dist), face::rank() == 0);
    dri::Sink sink("empty", dist);
    EXPECT_EQ(static_cast<bool>(sink), face::rank() == 0);
    if (face::rank() == 0)
        return;
    EXPECT_EQ(sink.extent(0), 0);
    EXPECT_TRUE(sink.buffers().empty());
    for ([[maybe_unused]] auto [at, x] : sink.elements())
        ADD_FAILURE() << "an empty endpoint has no elements";
    for ([[maybe_unused]] const auto &frame : sink.frames())
        ADD_FAILURE() << "an empty endpoint has no frames";
    face::expect_failure(DRI_ERR_HANDLE, "", [&] { sink.extract(); });
    face::expect_failure(DRI_ERR_HANDLE, "", [&] { dist.owned(0); });
    EXPECT_EQ(dist, (dri::Dist<float, 1>()));
}

TEST(FaceLayout, HasStrides) {
    const dri::Dist dist(dri::Gdo<std::complex<float>, 2>(10, 6), {dri::whole(), dri::whole()},
                         dri::Group{face::rank()});
    EXPECT_EQ(dri::row_major.strides(dist), (Index<2>{6, 1}));
    EXPECT_EQ(dri::col_major.strides(dist), (Index<2>{1, 10}));
    EXPECT_EQ((dri::Layout{1, 0}.strides(dist)), (Index<2>{1, 10}));
    EXPECT_EQ(dri::row_major.pitch(8).strides(dist), (Index<2>{8, 1}));
    EXPECT_EQ(dri::row_major.pitch(dri::pitch_auto).strides(dist, face::rank()), (Index<2>{8, 1}));
    EXPECT_EQ(dri::Layout::strides({20, 3}).strides(dist), (Index<2>{20, 3}));
    EXPECT_EQ(dri::row_major.plane(dist), 1);
    EXPECT_EQ(dri::col_major.split().plane(dist), 60);
    EXPECT_EQ(dri::Layout().handle().id, DRI_ROW_MAJOR.id);
    EXPECT_EQ(dri::Layout::adopt(DRI_COL_MAJOR).handle().id, DRI_COL_MAJOR.id);
    face::expect_failure(DRI_ERR_ARG, "", [] { dri::Layout{0, 0}; });
    face::expect_failure(DRI_ERR_HANDLE, "", [] { dri::Layout::adopt(DRI_Layout{}); });
    face::expect_failure(DRI_ERR_ARG, "", [&] { (dri::Layout{0, 1, 2}.strides(dist)); });
}

} // namespace
