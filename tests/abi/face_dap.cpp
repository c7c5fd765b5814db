// The Distributed Array Protocol through the C++ interface.
#include "face.hpp"

#include <numeric>

namespace {

// Rows of a matrix in blocks, with one row of overlap.
dri::Dist<double, 2> dap_rows() {
    return {dri::Gdo<double, 2>(6 * face::processes(), 5), {dri::block().overlap(1, 1), dri::whole()}};
}

TEST(FaceDap, DescribesAPart) {
    const auto dist = dap_rows();
    const auto extents = dist.extents();
    std::vector<double> local(static_cast<size_t>(extents[0] * extents[1]));
    dri::Dap dap(dist, local.data());
    EXPECT_FALSE(dap.fault());
    dap.validate();
    dap.validate(0);
    dap.check(dri::world());
    EXPECT_EQ(dap.get().buffer, local.data());
    EXPECT_EQ(dap.get().strides[0], 40);
    EXPECT_EQ(dap.dim(0).dist_type, 'b');
    EXPECT_EQ(dap.owned(0), 6);
    const int64_t first = 6 * face::rank(), before = face::rank() > 0 ? 1 : 0;
    EXPECT_EQ(dap.local_index(0, first), before);
    EXPECT_EQ(dap.global_index(0, 0), first - before);
    std::vector<DRI_Dap> all;
    std::vector<dri::Dap> owners;
    for (int r = 0; r < face::processes(); ++r)
        all.push_back(
            owners.emplace_back(dist, static_cast<double *>(nullptr), dri::row_major, dri::DapNotes<2>{}, r)
                .get());
    dri::check_all(all);
    all[0].dim_data[0].size += 1;
    EXPECT_EQ(face::code_of([&] { dri::check_all(all); }), DRI_ERR_MISMATCH);
    face::expect_failure(DRI_ERR_ARG, "no dimension 2 of 2", [&] { dap.owned(2); });
    dri::Dap moved = std::move(dap);
    EXPECT_EQ(dap.get().ndims, 0);
    dap = std::move(moved);
    EXPECT_EQ(dap.get().ndims, 2);
}

TEST(FaceDap, TellsFaults) {
    DRI_Dap filled{};
    filled.itemsize = 8;
    filled.ndims = 1;
    filled.shape[0] = 3;
    const dri::Dap wrong(filled);
    ASSERT_TRUE(wrong.fault());
    EXPECT_EQ(wrong.fault()->rule, DRI_DAP_RULE_BUFFER);
    face::expect_failure(DRI_ERR_ARG, "the buffer is NULL", [&] { wrong.validate(); });
    double element = 0;
    filled.buffer = &element;
    dri::Dap right(filled);
    right.write_out();
    EXPECT_EQ(right.dim(0).stop, 3);
}

TEST(FaceDap, NotesBoundaryPadding) {
    const auto dist = dap_rows();
    const dri::Dap dap(dist, static_cast<double *>(nullptr), dri::row_major,
                       {.boundary = {{{2, 3}, {0, 0}}}, .periodic = {true, false}});
    const auto own = dap.dim(0);
    EXPECT_EQ(own.padding[0], face::rank() == 0 ? 2 : 1);
    EXPECT_EQ(own.padding[1], face::rank() == face::processes() - 1 ? 3 : 1);
    EXPECT_EQ(own.periodic, 1);
}

TEST(FaceDap, IsASourceAndASink) {
    const auto dist = dap_rows();
    const auto extents = dist.extents();
    std::vector<double> from(static_cast<size_t>(extents[0] * extents[1])), to(from.size(), -1);
    dri::Dap given(dist, from.data()), got(dist, to.data());
    const int64_t first = given.dim(0).start;
    std::iota(from.begin(), from.end(), 5.0 * static_cast<double>(first));
    const auto source = given.import_as<double, 2>(DRI_DAP_SOURCE, dri::world());
    const auto sink = got.import_as<double, 2>(DRI_DAP_SINK, dri::world());
    EXPECT_EQ(source.memory.data(), from.data());
    EXPECT_EQ(source.memory.size(), from.size());
    EXPECT_EQ(source.dist, dist);
    dri::Source leave("dap", source.dist, {.layout = source.layout}, source.memory);
    dri::Sink arrive("dap", sink.dist, {.layout = sink.layout}, sink.memory);
    dri::commit();
    dri::run("dap");
    EXPECT_EQ(to, from);
}

TEST(FaceDap, RefreshesPadding) {
    const auto dist = dap_rows();
    const auto extents = dist.extents();
    std::vector<double> local(static_cast<size_t>(extents[0] * extents[1]), -1);
    const dri::Dap dap(dist, local.data());
    for (int64_t i = 0; i < extents[0]; ++i)
        for (int64_t j = 0; j < 5; ++j)
            if (const int64_t row = dap.global_index(0, i); row / 6 == face::rank())
                local[static_cast<size_t>(i * 5 + j)] = static_cast<double>(row * 5 + j);
    const auto update = dap.import_as<double, 2>(DRI_DAP_UPDATE, dri::world());
    const dri::Options options{.layout = update.layout, .in_place = dri::InPlace::yes};
    dri::Source source("refresh", update.dist, options, update.memory);
    dri::Sink sink("refresh", update.dist, options, update.memory);
    dri::commit();
    dri::run("refresh");
    for (size_t k = 0; k < local.size(); ++k)
        EXPECT_EQ(local[k], static_cast<double>(dap.dim(0).start * 5) + static_cast<double>(k));
}

TEST(FaceDap, NumbersLabels) {
    DRI_Dap filled{};
    const int64_t label[]{1000 - 10 * face::rank()}, all[]{1000};
    int64_t element = 0;
    filled.buffer = &element;
    filled.itemsize = sizeof element;
    filled.ndims = 1;
    filled.shape[0] = 1;
    DRI_Dap_dim &dim = filled.dim_data[0];
    dim.dist_type = 'u';
    dim.keys = DRI_DAP_SIZE | DRI_DAP_GRID_SIZE | DRI_DAP_GRID_RANK | DRI_DAP_INDICES;
    dim.proc_grid_size = face::processes();
    dim.proc_grid_rank = face::rank();
    dim.indices = label;
    dim.nindices = 1;
    const dri::Dap source(filled);
    dim.indices = all;
    const dri::Dap sink(filled);
    const auto places = dri::relabel(dri::world(), 0, &source, &sink);
    EXPECT_EQ(places.size, face::processes());
    EXPECT_EQ(places.source.at(0), face::processes() - 1 - face::rank());
    EXPECT_EQ(places.sink.at(0), face::processes() - 1);
}

} // namespace
