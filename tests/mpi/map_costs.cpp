// What maps, domains and arrays cost beside time: which way assignments go, messages, calls of users' functions.
#include "support/arrays.hpp"
#include "support/library.hpp"
#include "support/mpi_counter.hpp"

#include <array>
#include <string>

namespace dri::test {
namespace {

// What the functions of a user's map count. Members in turn.
struct Calls {
    long owner = 0, local = 0;
};

int owner_in_turn(void *ctx, const int64_t index[], int *position) {
    ++static_cast<Calls *>(ctx)->owner;
    *position = static_cast<int>(index[0] % world().size);
    return DRI_SUCCESS;
}

int local_in_turn(void *ctx, int position, const DRI_Range whole[], int64_t most, DRI_Range boxes[], int64_t *n) {
    ++static_cast<Calls *>(ctx)->local;
    *n = 0;
    for (int64_t i = 0; i < whole[0].size; ++i)
        if (whole[0].first % world().size == 0 && i % world().size == position && (*n)++ < most)
            boxes[*n - 1] = {whole[0].first + i, 1, 1};
    return DRI_SUCCESS;
}

// The maps of the table below, by their kind.
Map map_of(const std::string &kind, Calls &calls) {
    DRI_Map_ops ops = map_ops("turns", owner_in_turn);
    if (kind == "lists")
        ops.local = local_in_turn;
    if (kind == "lists" || kind == "owners")
        return make_user_map(1, ops, &calls);
    const MapDim dim = kind == "blocks" ? block_dim(0, 60) : cyclic_dim(0, kind == "cyclic" ? 1 : 4);
    return make_map({dim}, make_world());
}

struct Row {
    std::string to, from;
    DRI_Range left, right;
    DRI_Type type;
    DRI_Assign_path path;
    int tried;
    bool is_packed; // otherwise elements lie in the order in which they travel
};

double number(const Indices &at) { return static_cast<double>(at[0] + 1); }

TEST(MapCosts, TheWayOfEachPairOfMaps) {
    constexpr int known = DRI_ASSIGN_KNOWN, both = DRI_ASSIGN_KNOWN | DRI_ASSIGN_ANY;
    const DRI_Range all{0, 1, 60}, odd{1, 2, 20}, even{4, 2, 20}, back{55, -2, 20};
    const std::vector<Row> rows{
        {"blocks", "cyclic", all, all, DRI_DOUBLE, DRI_ASSIGN_KNOWN, known, false},
        {"cyclic", "blocks", odd, even, DRI_DOUBLE, DRI_ASSIGN_KNOWN, known, false},
        {"cyclic", "blocks", odd, back, DRI_DOUBLE, DRI_ASSIGN_ANY, both, true}, // memory runs the other way
        {"blocks", "longer", all, all, DRI_DOUBLE, DRI_ASSIGN_KNOWN, known, false},
        {"blocks", "longer", odd, odd, DRI_DOUBLE, DRI_ASSIGN_ANY, both, false},
        {"blocks", "lists", all, all, DRI_DOUBLE, DRI_ASSIGN_ANY, DRI_ASSIGN_ANY, false},
        {"lists", "cyclic", odd, back, DRI_DOUBLE, DRI_ASSIGN_ANY, DRI_ASSIGN_ANY, true},
        {"blocks", "owners", all, all, DRI_DOUBLE, DRI_ASSIGN_ELEMENT, 0, true},
        {"blocks", "cyclic", all, all, DRI_INT32, DRI_ASSIGN_ELEMENT, 0, true},
    };
    for (const Row &row : rows) {
        Calls calls;
        const Domain to = make_domain(map_of(row.to, calls), {all}),
                     from = make_domain(map_of(row.from, calls), {all});
        const Array dst = make_array(to), src = make_array(from, row.type);
        if (row.type.id == DRI_INT32.id)
            fill<int32_t>(src, from, number);
        else
            fill(src, from, number);
        for (int turn = 0; turn < 3; ++turn) {
            fill(dst, to, [](const Indices &) { return -1.0; });
            DRI_Assigned info{};
            ASSERT_EQ(DRI_assign(dst, &row.left, src, &row.right, &info), DRI_SUCCESS) << DRI_error_message();
            const std::string what = row.to + " = " + row.from + ", turn " + std::to_string(turn);
            const bool is_whole = world().size == 1 && row.from == "longer"; // then blocks of any size are one
            EXPECT_EQ(info.path, is_whole ? DRI_ASSIGN_KNOWN : row.path) << what;
            EXPECT_EQ(info.tried, is_whole ? known : row.tried) << what;
            EXPECT_EQ(info.planned, turn == 0) << what;
            int64_t packed = 0;
            MPI_Allreduce(&info.packed_bytes, &packed, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
            EXPECT_EQ(packed > 0, row.is_packed) << what << ' ' << packed;
            EXPECT_EQ(difference(dst, to,
                                 [&](const Indices &at) {
                                     const int64_t k = at[0] - row.left.first;
                                     return k < 0 || k % row.left.stride || k / row.left.stride >= row.left.size
                                                ? -1.0
                                                : number(
                                                      {row.right.first + k / row.left.stride * row.right.stride});
                                 }),
                      "")
                << what;
        }
    }
}

// Messages of the first assignment and of the next ones, for a number of elements.
std::array<long, 3> messages_of(int64_t n) {
    const Domain to = make_domain(make_map({block_dim(0, n)}, make_world()), {{0, 1, n}});
    const Domain from = make_domain(make_map({cyclic_dim(0)}, make_world()), {{0, 1, n}});
    const Array dst = make_array(to), src = make_array(from);
    std::array<long, 3> found{};
    for (long &one : found) {
        barrier();
        const long before = all_traffic();
        expect_success(DRI_assign(dst, nullptr, src, nullptr, nullptr), "DRI_assign");
        one = all_traffic() - before;
    }
    return found;
}

TEST(MapCosts, MessagesDoNotGrowWithTheElements) {
    const auto few = messages_of(64), many = messages_of(6400);
    // A hundred times as many elements. Processes that wait in turn make the numbers of a set-up differ a little.
    EXPECT_LE(many[0], 2 * few[0]);
    for (const int again : {1, 2}) {
        EXPECT_EQ(few[static_cast<size_t>(again)], 0);
        EXPECT_EQ(many[static_cast<size_t>(again)], 0);
    }
}

TEST(MapCosts, LocalCallsOfArraysSendNothing) {
    Calls calls;
    for (const char *kind : {"blocks", "cyclic", "longer", "lists", "owners"}) {
        const Map map = map_of(kind, calls);
        const Domain domain = make_domain(map, {{0, 1, 60}});
        const Array array = make_array(domain);
        const DRI_Range some{3, 2, 20};
        barrier();
        const long before = all_traffic();
        Array alias;
        expect_success(DRI_array_slice(array, &some, 0, alias.out()), "DRI_array_slice");
        for (const DRI_Array one : {array.get(), alias.get()}) {
            Domain own;
            expect_success(DRI_array_get_domain(one, own.out()), "DRI_array_get_domain");
            for (const Indices &at : tuples_of(ranges_of(own)))
                if (is_own(own, at)) {
                    EXPECT_NE(element_at(one, at), nullptr);
                }
            DRI_Type type;
            const DRI_View *view = nullptr;
            std::array<char, 2000> text;
            expect_success(DRI_array_get_type(one, &type), "DRI_array_get_type");
            expect_success(DRI_array_view(one, 0, &view), "DRI_array_view");
            expect_success(DRI_array_describe(one, text.data(), text.size()), "DRI_array_describe");
        }
        expect_success(DRI_array_set_attr(array, DRI_ARRAY_PLANS, 3), "DRI_array_set_attr");
        alias.reset();
        EXPECT_EQ(all_traffic(), before) << kind;
        barrier();
    }
}

// A map that only knows owners is asked once for each member and process, however often the domain is used.
TEST(MapCosts, OwnersAreAskedOncePerMember) {
    Calls calls;
    const Domain domain = make_domain(map_of("owners", calls), {{0, 1, 60}});
    EXPECT_EQ(calls.owner, 0) << "before the first use";
    const Array first = make_array(domain), second = make_array(domain);
    const long asked = calls.owner;
    EXPECT_GE(asked, 60);
    EXPECT_LE(asked, 60L * (world().size + 1)); // the corners of boxes once more
    for (int rank = 0; rank < world().size; ++rank)
        static_cast<void>(boxes_of(domain, rank));
    const Array third = make_array(domain);
    EXPECT_LE(calls.owner - asked, 60L * world().size) << "no new lists";
}

// Bytes are the same on all processes, and any process makes the map of them.
TEST(MapCosts, PackedMapsAreTheSameElsewhere) {
    for (const char *kind : {"blocks", "cyclic", "longer"}) {
        Calls calls;
        const Map map = map_of(kind, calls);
        const Domain domain = make_domain(map, {{55, -1, 50}});
        size_t n = 0;
        expect_success(DRI_domain_pack(domain, nullptr, 0, &n), "DRI_domain_pack");
        std::vector<char> own(n), others(n);
        expect_success(DRI_domain_pack(domain, own.data(), n, nullptr), "DRI_domain_pack");
        others = own;
        MPI_Bcast(others.data(), static_cast<int>(n), MPI_BYTE, world().size - 1, MPI_COMM_WORLD);
        EXPECT_EQ(own, others);
        Domain made;
        const long before = all_traffic();
        ASSERT_EQ(DRI_domain_unpack(others.data(), n, nullptr, made.out()), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(all_traffic(), before);
        for (const Indices &at : tuples_of({{55, -1, 50}})) {
            int one = -1, other = -2;
            expect_success(DRI_domain_owner(domain, at.data(), &one), "DRI_domain_owner");
            expect_success(DRI_domain_owner(made, at.data(), &other), "DRI_domain_owner");
            EXPECT_EQ(one, other);
        }
        // One byte less is not the map, and no memory behind it is read.
        EXPECT_EQ(
            DRI_domain_unpack(std::vector<char>(own.begin(), own.end() - 1).data(), n - 1, nullptr, made.out()),
            DRI_ERR_ARG);
    }
}

// The text of an array is gathered slab by slab: about as many messages for each slab.
TEST(MapCosts, WritingTakesMessagesPerSlab) {
    const auto put = [](void *ctx, const char *, size_t) {
        ++*static_cast<long *>(ctx);
        return static_cast<int>(DRI_SUCCESS);
    };
    std::vector<long> traffic;
    long puts_of_a_row = 0;
    constexpr int64_t row = 1 << 17; // of doubles: 1 MiB
    for (const int64_t rows : {1, 4, 7}) {
        const Domain domain =
            make_domain(make_map({{}, block_dim(0, row)}, make_world()), {{0, 1, rows}, {0, 1, row}});
        const Array array = make_array(domain);
        barrier();
        const long before = all_traffic();
        long puts = 0;
        expect_success(DRI_array_write(array, put, &puts), "DRI_array_write");
        traffic.push_back(all_traffic() - before);
        puts_of_a_row = rows == 1 ? puts : puts_of_a_row;
        EXPECT_EQ(puts, rows * puts_of_a_row) << "a row is a slab";
        EXPECT_EQ(puts > 0, world().rank == 0);
    }
    // As above, the numbers differ a little.
    EXPECT_LE(traffic[2] - traffic[1], 2 * (traffic[1] - traffic[0]));
    EXPECT_LE(traffic[1] - traffic[0], 2 * (traffic[2] - traffic[1]));
}

} // namespace
} // namespace dri::test
