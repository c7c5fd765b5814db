// Elements of a part: which there are, in which order, and the memory of buffers.
#include "face.hpp"

#include <complex>
#include <map>

namespace {

using dri::Index;

// What a process owns, by the queries of the C interface: each local position of an element, with its global
// index.
template <class T, std::size_t N>
std::map<std::vector<int64_t>, Index<N>> owned_by_queries(const dri::Dist<T, N> &dist) {
    std::array<std::vector<std::pair<int64_t, int64_t>>, N> along; // local position, global index
    for (int d = 0; d < static_cast<int>(N); ++d) {
        int64_t n = 0;
        EXPECT_EQ(DRI_dist_num_blocks(dist.handle(), face::rank(), d, &n), DRI_SUCCESS);
        for (int64_t i = 0; i < n; ++i) {
            DRI_Block block;
            EXPECT_EQ(DRI_dist_get_block(dist.handle(), face::rank(), d, i, &block), DRI_SUCCESS);
            for (int64_t k = 0; k < block.size; ++k)
                along[static_cast<size_t>(d)].push_back({block.local + k, block.global + k});
        }
    }
    std::map<std::vector<int64_t>, Index<N>> all{{{}, {}}};
    for (size_t d = 0; d < N; ++d) {
        std::map<std::vector<int64_t>, Index<N>> longer;
        for (const auto &[local, global] : all)
            for (const auto &[position, index] : along[d]) {
                auto at = local;
                auto of = global;
                at.push_back(position);
                of[d] = index;
                longer[at] = of;
            }
        all = longer;
    }
    return all;
}

template <std::size_t N> void expect_elements(const dri::Dist<int, N> &dist, const dri::Layout &layout) {
    const Index<N> strides = layout.strides(dist), extents = dist.extents();
    int64_t reach = 1;
    for (size_t d = 0; d < N; ++d)
        reach += (extents[d] - 1) * strides[d];
    std::vector<int> memory(static_cast<size_t>(std::max<int64_t>(reach, 64)) + 64);
    const dri::Source source("elements", dist, {.layout = layout}, memory);
    // Before the commit a part has no buffer of the library, so the parts of the user's own are looked at here.
    const dri::detail::Placement<int, N> placement(dist, layout);
    const auto expected = owned_by_queries(dist);
    const dri::Part<int, N> part(memory.data(), placement);
    std::map<std::vector<int64_t>, Index<N>> found;
    const int *before = nullptr;
    const auto find = [&](const Index<N> &at, const int &x) {
        EXPECT_TRUE(before == nullptr || before < &x) << "in the order of memory";
        before = &x;
        int64_t offset = &x - memory.data();
        std::array<size_t, N> by_stride{};
        for (size_t d = 0; d < N; ++d)
            by_stride[d] = d;
        std::sort(by_stride.begin(), by_stride.end(), [&](size_t a, size_t b) {
            return strides[a] * std::max<int64_t>(extents[a] - 1, 0) >
                   strides[b] * std::max<int64_t>(extents[b] - 1, 0);
        });
        std::vector<int64_t> local(N);
        for (const size_t d : by_stride) {
            local[d] = extents[d] > 1 ? offset / strides[d] : 0;
            offset -= local[d] * strides[d];
        }
        EXPECT_EQ(offset, 0);
        found[local] = at;
    };
    for (auto [at, x] : part.elements())
        find(at, x);
    EXPECT_EQ(found, expected) << "elements() of " << dist.describe();
    found.clear();
    before = nullptr;
    part.forall(find);
    EXPECT_EQ(found, expected) << "forall() of " << dist.describe();
    size_t elements = 0;
    part.forall([&](int &) { ++elements; });
    EXPECT_EQ(elements, expected.size());
}

TEST(FaceElements, AreWhatAProcessOwns) {
    const int me = face::rank(), n = face::processes();
    const auto in_each_layout = [](const auto &dist) {
        constexpr std::size_t dims = std::tuple_size_v<std::remove_cvref_t<decltype(dist.extents())>>;
        std::vector<dri::Layout> layouts{dri::row_major, dri::col_major, dri::row_major.pitch(16)};
        if constexpr (dims == 2)
            layouts.push_back(dri::Layout::strides({200, 3}));
        if constexpr (dims == 3)
            layouts.push_back(dri::Layout{1, 2, 0});
        for (const dri::Layout &layout : layouts)
            expect_elements(dist, layout);
    };
    const dri::Gdo<int, 2> matrix(19, 23);
    in_each_layout(dri::Dist(matrix, {dri::block(), dri::whole()}));
    in_each_layout(
        dri::Dist(matrix, {dri::whole(), dri::block().overlap(3, 2).edges(dri::Edge::wrap, dri::Edge::zero)}));
    in_each_layout(dri::Dist(matrix, {dri::cyclic(2), dri::block()}));
    in_each_layout(dri::Dist(matrix, {dri::cyclic(3).overlap(1, 1), dri::cyclic(2, 1)}));
    std::vector<int64_t> list;
    for (int64_t i = 22 - me; i >= 0; i -= n)
        list.push_back(i);
    in_each_layout(dri::Dist(matrix, {dri::whole(), dri::indices(list)}));
    const dri::Gdo<int, 3> cube(7, 8, 9);
    in_each_layout(dri::Dist(cube, {dri::whole(), dri::block().overlap(1, 1), dri::whole()}));
    in_each_layout(dri::Dist(cube, {dri::cyclic(2), dri::cyclic(3, 1), dri::cyclic(2, 1)}));
    in_each_layout(dri::Dist(dri::Gdo<int, 1>(31), {dri::cyclic(3)}));
    in_each_layout(dri::Dist(dri::Gdo<int, 1>(2), {dri::block()})); // most processes have none
    in_each_layout(dri::Dist(dri::Gdo<int, 2>(5, 0), {dri::block(), dri::whole()}));
    in_each_layout(
        dri::Dist(dri::Gdo<int, 4>(3, 2, 1, 5), {dri::whole(), dri::whole(), dri::whole(), dri::block()}));
    expect_elements(dri::Dist(dri::Gdo<int, 0>{}, dri::Partition<0>{}), dri::row_major);
}

TEST(FaceElements, LieInEachBuffer) {
    const dri::Dist dist(dri::Gdo<int, 2>(9, 12), {dri::block(), dri::whole()});
    dri::Source source("buffers", dist, {.buffers = 3});
    dri::Sink sink("buffers", dist);
    dri::commit();
    ASSERT_EQ(source.buffers().size(), 3u);
    void *addresses[3];
    ASSERT_EQ(DRI_xfer_get_buffers(source.handle(), nullptr, addresses), DRI_SUCCESS);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(source.part(i).data(), addresses[i]);
    EXPECT_EQ(source.buffer().data(), addresses[0]);
    EXPECT_EQ(source.extent(1), 12);
    EXPECT_EQ(source.buffer().extents(), dist.extents());
    EXPECT_EQ(source.dist(), dist);
    face::expect_failure(DRI_ERR_ARG, "no buffer 3", [&] { source.part(3); });
    face::expect_failure(DRI_ERR_STATE, "", [&] { sink.buffer(); });
}

TEST(FaceElements, HavePlanes) {
    using Sample = std::complex<float>;
    const dri::Dist dist(dri::Gdo<Sample, 2>(6, 4 * face::processes()), {dri::whole(), dri::block()});
    dri::Source source("planes", dist);
    dri::Sink sink("planes", dist, {.layout = dri::col_major.split()});
    dri::commit();
    for (auto [at, x] : source.elements())
        x = Sample(static_cast<float>(at[0]), static_cast<float>(-at[1]));
    dri::run("planes");
    for (const auto &part : {source.buffer(), sink.buffer()}) {
        const auto [re, im] = part.planes();
        static_assert(std::is_same_v<decltype(re), const dri::View<float, 2>>);
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < re.extent(1); ++j) {
                EXPECT_EQ(re(i, j), static_cast<float>(i));
                EXPECT_EQ(im(i, j), static_cast<float>(-4 * face::rank() - j));
            }
    }
    face::expect_failure(DRI_ERR_ARG, "planes()", [&] { sink.elements(); });
    face::expect_failure(DRI_ERR_ARG, "planes()", [&] { sink.forall([](Sample &) {}); });
    face::expect_failure(DRI_ERR_ARG, "planes()", [&] { sink.buffer().rows(); });
    face::expect_failure(DRI_ERR_ARG, "planes()", [&] { sink.buffer().span(); });
}

} // namespace
