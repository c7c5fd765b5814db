// Pieces and loops: what random statements do not reach.
#include "support/arrays.hpp"
#include "support/dist_kinds.hpp"
#include "support/library.hpp"

#include <dri/stream.h>

#include <chrono>
#include <numeric>
#include <thread>

namespace dri::test {
namespace {

Array counting(const Numbers &shape) {
    Array made = shape_array(shape, make_world());
    fill_flat(made, shape, [](int64_t i) { return static_cast<double>(i); });
    return made;
}

// Rows of the default partition and `around` rows more.
DRI_Box rows_with_halo(const Numbers &shape, int64_t around) {
    DRI_Box box{};
    expect_success(
        DRI_default_partition(world().size, world().rank, static_cast<int>(shape.size()), shape.data(), &box),
        "DRI_default_partition");
    const int64_t begin = std::max<int64_t>(box.offset[0] - around, 0);
    const int64_t end = std::min(box.offset[0] + box.size[0] + around, shape[0]);
    box.offset[0] = begin;
    box.size[0] = end - begin;
    return box;
}

TEST(Pieces, HalosLieBesideTheOwnedRows) {
    const Numbers shape{4 * world().size, 6};
    const Array array = counting(shape);
    const DRI_Box box = rows_with_halo(shape, 2);
    Array piece;
    expect_success(DRI_array_repartition(array, &box, piece.out()), "DRI_array_repartition");
    const auto parts = parts_of(piece);
    for (size_t i = 0; i < 3; ++i) {
        if (parts[i].range[0].size == 0)
            continue;
        const auto *own = static_cast<double *>(parts[1].data);
        EXPECT_EQ(static_cast<double *>(parts[i].data) - own,
                  (parts[i].range[0].first - parts[1].range[0].first) * 6);
        Values wanted(static_cast<size_t>(parts[i].range[0].size * 6));
        std::iota(wanted.begin(), wanted.end(), static_cast<double>(parts[i].range[0].first * 6));
        EXPECT_EQ(elements_of(parts[i]), wanted);
    }
}

TEST(Pieces, AnAliasCountsItsPositions) {
    const Numbers shape{5 * world().size, 4};
    const Array array = counting(shape);
    const DRI_Range odd[]{{1, 2, shape[0] / 2}, {1, 2, 2}};
    Array alias, piece;
    expect_success(DRI_array_slice(array, odd, 0, alias.out()), "DRI_array_slice");
    const DRI_Box all{{0, 0}, {odd[0].size, 2}};
    expect_success(DRI_array_repartition(alias, &all, piece.out()), "DRI_array_repartition");
    Values found, wanted;
    for (const DRI_View &part : parts_of(piece))
        for (const double one : elements_of(part))
            found.push_back(one);
    for (int64_t i = 0; i < odd[0].size; ++i)
        for (int64_t j = 0; j < 2; ++j)
            wanted.push_back(static_cast<double>((1 + 2 * i) * 4 + 1 + 2 * j));
    EXPECT_EQ(found, wanted);
}

TEST(Pieces, TheCallersHalosAreFilled) {
    const int64_t own = 3, n = own * world().size, begin = own * world().rank;
    const int64_t left = world().rank > 0, right = world().rank + 1 < world().size;
    Values memory(static_cast<size_t>(own + 2), -1);
    for (int64_t i = 0; i < own; ++i)
        memory[static_cast<size_t>(1 + i)] = static_cast<double>(begin + i);
    DRI_View parts[3]{};
    const int64_t sizes[3]{left, own, right}, places[3]{0, 1, own + 1};
    for (int i = 0; i < 3; ++i) {
        parts[i].data = memory.data() + places[i];
        parts[i].ndims = 1;
        parts[i].range[0].size = sizes[i];
        parts[i].step[0] = 1;
    }
    Gdo gdo;
    Array array;
    const int64_t loffs = begin - left;
    expect_success(DRI_gdo_create(1, DRI_DOUBLE, &n, gdo.out()), "DRI_gdo_create");
    expect_success(DRI_array_init(gdo, make_world(), &loffs, 3, parts, array.out()), "DRI_array_init");
    expect_success(DRI_array_update_overlap(array), "DRI_array_update_overlap");
    EXPECT_EQ(memory.front(), left ? static_cast<double>(begin - 1) : -1);
    EXPECT_EQ(memory.back(), right ? static_cast<double>(begin + own) : -1);
    double sum = 0;
    expect_success(DRI_array_reduce(array, nullptr, DRI_OP_SUM, &sum), "DRI_array_reduce");
    EXPECT_EQ(sum, static_cast<double>(n * (n - 1) / 2));
}

TEST(Pieces, PartsThatAreNotTheArrayAreRefusedByAll) {
    const int64_t n = 2 * world().size + 1, loffs = 2 * world().rank;
    Values memory(2);
    DRI_View parts[3]{};
    for (int i = 0; i < 3; ++i) {
        parts[i].data = memory.data();
        parts[i].ndims = 1;
        parts[i].range[0].size = i == 1 ? 2 : 0;
        parts[i].step[0] = 1;
    }
    Gdo gdo;
    Array array;
    double sum = 0;
    expect_success(DRI_gdo_create(1, DRI_DOUBLE, &n, gdo.out()), "DRI_gdo_create");
    expect_success(DRI_array_init(gdo, make_world(), &loffs, 3, parts, array.out()), "DRI_array_init");
    EXPECT_EQ(DRI_array_reduce(array, nullptr, DRI_OP_SUM, &sum), DRI_ERR_GAP) << DRI_error_message();
}

TEST(Pieces, APieceIsRefusedWhereAnArrayIsNeeded) {
    const Numbers shape{3 * world().size};
    const Array array = counting(shape);
    const DRI_Box box = rows_with_halo(shape, 1);
    Array piece, other;
    Loop loop;
    Map map;
    double sum = 0;
    expect_success(DRI_array_repartition(array, &box, piece.out()), "DRI_array_repartition");
    const DRI_Operand to = operand_of(array, {{0, 1, shape[0]}}), from = operand_of(piece, {{0, 1, shape[0]}});
    for (const int code :
         {DRI_loop_create(&to, 1, &from, loop.out()), DRI_array_repartition(piece, &box, other.out()),
          DRI_assign(array, nullptr, piece, nullptr, nullptr), DRI_array_reduce(piece, nullptr, DRI_OP_SUM, &sum),
          DRI_array_gather(piece, nullptr, -1, &sum)}) {
        EXPECT_EQ(code, DRI_ERR_ARG);
        EXPECT_NE(std::string(DRI_error_message()).find("a piece is given"), std::string::npos);
    }
}

int add_pieces(void *context, int, const int64_t sizes[], void *const data[], const int64_t *const steps[]) {
    double sum = 0;
    for (int64_t i = 0; i < sizes[0]; ++i)
        sum += *reinterpret_cast<double *>(static_cast<char *>(data[1]) + i * steps[1][0]);
    *static_cast<double *>(data[0]) = sum;
    ++*static_cast<int *>(context);
    return DRI_SUCCESS;
}

int fails(void *, int, const int64_t[], void *const[], const int64_t *const[]) { return DRI_ERR_LIMIT; }

TEST(Loops, ReductionsHaveTheSameBitsEverywhere) {
    const Numbers shape{1000};
    const Array array = shape_array(shape, make_world());
    fill_flat(array, shape, [](int64_t i) { return 1.0 / static_cast<double>(i + 1); });
    const DRI_Operand read = operand_of(array, {{0, 1, 1000}});
    Loop loop;
    expect_success(DRI_loop_create(nullptr, 1, &read, loop.out()), "DRI_loop_create");
    double sum = 0;
    int calls = 0;
    expect_success(DRI_loop_reduce(loop, add_pieces, &calls, DRI_DOUBLE, 1, DRI_OP_SUM, &sum), "DRI_loop_reduce");
    EXPECT_NEAR(sum, 7.485470860550345, 1e-12);
    Values all(static_cast<size_t>(world().size));
    MPI_Allgather(&sum, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
    EXPECT_EQ(all, Values(all.size(), sum));
    EXPECT_EQ(DRI_loop_reduce(loop, fails, nullptr, DRI_DOUBLE, 1, DRI_OP_SUM, &sum), DRI_ERR_LIMIT);
    EXPECT_EQ(DRI_loop_run(loop, add_pieces, &calls), DRI_ERR_ARG);
}

TEST(Loops, CyclicArraysAreOneFlatLoop) {
    const Domain domain =
        make_domain(make_map({cyclic_dim(0, 2), MapDim{}}, make_world()), {{0, 1, 31}, {0, 1, 3}});
    const Array a = make_array(domain), b = make_array(domain);
    fill(a, domain, [](const Indices &i) { return static_cast<double>(10 * i[0] + i[1]); });
    const Ranges all{{0, 1, 31}, {0, 1, 3}};
    const DRI_Operand target = operand_of(b, all), read = operand_of(a, all);
    Loop loop;
    DRI_Kernel kernel = nullptr;
    void *context = nullptr;
    expect_success(DRI_loop_kernel(DRI_OP_NEG, DRI_DOUBLE, &kernel, &context, nullptr), "DRI_loop_kernel");
    expect_success(DRI_loop_create(&target, 1, &read, loop.out()), "DRI_loop_create");
    expect_success(DRI_loop_run(loop, kernel, context), "DRI_loop_run");
    EXPECT_EQ(difference(b, domain, [](const Indices &i) { return -static_cast<double>(10 * i[0] + i[1]); }), "");
    if (world().size == 1)
        return;
    const DRI_Operand part = operand_of(a, {{0, 1, 5}, {0, 1, 3}}), to = operand_of(b, {{1, 1, 5}, {0, 1, 3}});
    Loop refused;
    EXPECT_EQ(DRI_loop_create(&to, 1, &part, refused.out()), DRI_ERR_UNSUPPORTED);
    EXPECT_NE(std::string(DRI_error_message()).find("DRI_assign"), std::string::npos) << DRI_error_message();
}

TEST(Loops, PeriodicOverlapIsReadAround) {
    MapDim rule = block_dim(0, 4 * world().size);
    rule.left = rule.right = 1;
    rule.left_edge = rule.right_edge = DRI_WRAP;
    const int64_t n = 4 * world().size;
    const Domain domain = make_domain(make_map({rule}, make_world()), {{0, 1, n}});
    const Array a = make_array(domain), b = make_array(domain);
    fill(a, domain, [](const Indices &i) { return static_cast<double>(i[0]); });
    const DRI_Operand target = operand_of(b, {{0, 1, n}});
    DRI_Operand read = operand_of(a, {{0, 1, n}});
    read.left[0] = read.right[0] = 1;
    Loop loop;
    expect_success(DRI_loop_create(&target, 1, &read, loop.out()), "DRI_loop_create");
    const auto around = [](void *, int, const int64_t sizes[], void *const data[], const int64_t *const steps[]) {
        for (int64_t i = 0; i < sizes[0]; ++i) {
            const auto *at = static_cast<char *>(data[1]) + i * steps[1][0];
            *reinterpret_cast<double *>(static_cast<char *>(data[0]) + i * steps[0][0]) =
                *reinterpret_cast<const double *>(at - steps[1][0]) +
                *reinterpret_cast<const double *>(at + steps[1][0]);
        }
        return static_cast<int>(DRI_SUCCESS);
    };
    expect_success(DRI_loop_run(loop, around, nullptr), "DRI_loop_run");
    const auto wanted = [n](const Indices &i) { return static_cast<double>((i[0] + n - 1) % n + (i[0] + 1) % n); };
    EXPECT_EQ(difference(b, domain, wanted), "");
    // The same by slices that continue beyond the domain.
    fill(b, domain, [](const Indices &) { return 0; });
    weighted_sum(target, {operand_of(a, {{-1, 1, n}}), operand_of(a, {{1, 1, n}})}, {1, 1});
    EXPECT_EQ(difference(b, domain, wanted), "");
    char text[500];
    expect_success(DRI_loop_explain(loop, text, sizeof text), "DRI_loop_explain");
    EXPECT_NE(std::string(text).find("frame"), std::string::npos) << text;
}

// One process makes another statement: the others learn of it within the deadline, with operation and peer.
TEST(Loops, ProcessesThatPartGetAnErrorWithinTheDeadline) {
    if (world().size < 2)
        GTEST_SKIP() << "one process does not part from itself";
    const Numbers shape{4 * world().size};
    const Array a = counting(shape), b = counting(shape);
    // Short only where others stay away: the other calls may be slow.
    const auto wait_for = [&](int64_t milliseconds) {
        for (const Array *array : {&a, &b})
            expect_success(DRI_array_set_attr(*array, DRI_ARRAY_TIMEOUT_MS, milliseconds), "DRI_array_set_attr");
    };
    wait_for(20000);
    const auto shifted = [&](int64_t first) { return operand_of(a, {{first, 1, shape[0] - 1}}); };
    const DRI_Operand target = operand_of(b, {{0, 1, shape[0] - 1}}), right = shifted(1);
    Loop loop;
    expect_success(DRI_loop_create(&target, 1, &right, loop.out()), "DRI_loop_create");
    DRI_Kernel kernel = nullptr;
    void *context = nullptr;
    expect_success(DRI_loop_kernel(DRI_OP_COPY, DRI_DOUBLE, &kernel, &context, nullptr), "DRI_loop_kernel");
    expect_success(DRI_loop_run(loop, kernel, context), "DRI_loop_run");
    barrier();
    // Process 0 reads of process 1, which stays away.
    wait_for(200);
    if (world().rank == 0) {
        EXPECT_EQ(DRI_loop_run(loop, kernel, context), DRI_ERR_TIMEOUT);
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find("DRI_loop_run"), std::string::npos) << message;
        EXPECT_NE(message.find("process 1"), std::string::npos) << message;
    }
    barrier();
    wait_for(20000);
    expect_success(DRI_loop_run(loop, kernel, context), "the same call goes on");
    // A reduction of what others own, too: it goes on in the middle.
    Loop reduction;
    int calls = 0;
    double sum = -1;
    DRI_Operand around = operand_of(a, {{1, 1, shape[0] - 2}});
    around.right[0] = 1;
    expect_success(DRI_loop_create(nullptr, 1, &around, reduction.out()), "DRI_loop_create");
    const auto reduce = [&] {
        return DRI_loop_reduce(reduction, add_pieces, &calls, DRI_DOUBLE, 1, DRI_OP_SUM, &sum);
    };
    expect_success(reduce(), "DRI_loop_reduce");
    barrier();
    wait_for(200);
    if (world().rank == 0) {
        EXPECT_EQ(reduce(), DRI_ERR_TIMEOUT);
        EXPECT_NE(std::string(DRI_error_message()).find("DRI_loop_"), std::string::npos) << DRI_error_message();
    }
    barrier();
    wait_for(20000);
    const double first = sum;
    sum = -1;
    expect_success(reduce(), "the same call goes on");
    EXPECT_EQ(sum, static_cast<double>((shape[0] - 1) * (shape[0] - 2) / 2));
    EXPECT_EQ(sum, first);
}

TEST(Loops, OperandsThatDifferAreFoundTheFirstTime) {
    if (world().size < 2)
        GTEST_SKIP() << "one process agrees with itself";
    const Numbers shape{4 * world().size};
    const Array a = counting(shape), b = counting(shape);
    const int64_t first = world().rank == 0 ? 1 : 0;
    const DRI_Operand target = operand_of(b, {{0, 1, shape[0] - 1}}),
                      read = operand_of(a, {{first, 1, shape[0] - 1}});
    Loop loop;
    EXPECT_EQ(DRI_loop_create(&target, 1, &read, loop.out()), DRI_ERR_MISMATCH);
    EXPECT_NE(std::string(DRI_error_message()).find("the operands of a loop"), std::string::npos)
        << DRI_error_message();
}

TEST(Loops, WrongOperandsAreNamed) {
    const Numbers shape{4 * world().size};
    const Array a = counting(shape), b = counting(shape);
    const auto refused = [&](const DRI_Operand &to, const DRI_Operand &from, const char *what) {
        Loop loop;
        EXPECT_EQ(DRI_loop_create(&to, 1, &from, loop.out()), DRI_ERR_ARG) << what;
        EXPECT_NE(std::string(DRI_error_message()).find(what), std::string::npos) << DRI_error_message();
    };
    const Ranges all{{0, 1, shape[0]}};
    refused(operand_of(a, {{0, 1, shape[0] + 1}}), operand_of(b, all), "the target");
    refused(operand_of(a, all), operand_of(b, {{1, 1, shape[0]}}), "read 0");
    refused(operand_of(a, all), operand_of(b, {{0, 1, 3}}), "read 0, dimension 0: the size is 3");
    refused(operand_of(a, all), operand_of(b, {{shape[0] - 1, -1, shape[0]}}), "stride is -1");
    DRI_Operand wide = operand_of(b, all);
    wide.left[0] = 1;
    refused(operand_of(a, all), wide, "leaves its array");
}

TEST(Pieces, OperationsHoldTheirTarget) {
    const Numbers shape{5 * world().size};
    const Array array = counting(shape);
    const DRI_Box box = rows_with_halo(shape, 1);
    Array piece, sum, refused;
    expect_success(DRI_array_repartition(array, &box, piece.out()), "DRI_array_repartition");
    expect_success(DRI_array_update_overlap_start(piece), "DRI_array_update_overlap_start");
    const DRI_Box core{{5 * world().rank}, {5}};
    expect_success(DRI_array_ewbin(DRI_OP_MUL, piece, piece, nullptr, &core, sum.out()), "DRI_array_ewbin");
    Values found, wanted;
    for (const DRI_View &part : parts_of(sum))
        for (const double one : elements_of(part))
            found.push_back(one);
    for (int64_t i = box.offset[0]; i < box.offset[0] + box.size[0]; ++i)
        wanted.push_back(static_cast<double>(i * i));
    EXPECT_EQ(found, wanted);
    const DRI_Box more{{0}, {shape[0] + 1}};
    EXPECT_EQ(DRI_array_ewuny(DRI_OP_NEG, piece, &more, nullptr, refused.out()), DRI_ERR_ARG);
    EXPECT_NE(std::string(DRI_error_message()).find("are held"), std::string::npos) << DRI_error_message();
    EXPECT_EQ(DRI_array_ewuny(DRI_OP_NOT, piece, nullptr, nullptr, refused.out()), DRI_ERR_UNSUPPORTED);
}

// Of a piece they have its halos, and of both they end with the domain.
TEST(Pieces, PartsOfPiecesKnowWhereTheyAreFrom) {
    const int64_t n = 4 * world().size;
    const Domain domain = make_domain(make_map({block_dim(0, n)}, make_world()), {{0, 1, n}});
    const Array array = make_array(domain);
    const DRI_Box box = rows_with_halo({n}, 1), own{{4 * world().rank}, {4}};
    const DRI_Range all{0, 1, n};
    Array piece, of_piece, of_part, of_array;
    expect_success(DRI_array_repartition(array, &box, piece.out()), "DRI_array_repartition");
    expect_success(DRI_array_subview(piece, &all, nullptr, of_piece.out()), "DRI_array_subview");
    expect_success(DRI_array_subview(of_piece, &all, &box, of_part.out()), "DRI_array_subview");
    expect_success(DRI_array_subview(array, &all, &own, of_array.out()), "DRI_array_subview");
    double more = 0;
    for (const DRI_Array part : {of_piece.get(), of_part.get()}) {
        more += 100;
        barrier();
        fill(array, domain, [more](const Indices &i) { return more + static_cast<double>(i[0]); });
        ASSERT_EQ(DRI_array_update_overlap(part), DRI_SUCCESS) << DRI_error_message();
        Values found, wanted(static_cast<size_t>(box.size[0]));
        for (const DRI_View &view : parts_of(part))
            for (const double one : elements_of(view))
                found.push_back(one);
        std::iota(wanted.begin(), wanted.end(), more + static_cast<double>(box.offset[0]));
        EXPECT_EQ(found, wanted);
    }
    const DRI_Range next{0, 1, n / 2};
    expect_success(DRI_domain_set(domain, {}, &next), "DRI_domain_set");
    for (const DRI_Array part : {of_piece.get(), of_part.get(), of_array.get()}) {
        int nparts = 0;
        DRI_View views[3];
        EXPECT_EQ(DRI_array_get_parts(part, &nparts, views), DRI_ERR_STATE);
        EXPECT_NE(std::string(DRI_error_message()).find("the piece is stale"), std::string::npos)
            << DRI_error_message();
        EXPECT_EQ(DRI_array_update_overlap(part), DRI_ERR_STATE);
    }
}

} // namespace
} // namespace dri::test
