// Users' maps that lie. All processes are told alike, by the map's name, the index and the positions, and none
// waits.
#include "support/arrays.hpp"
#include "support/library.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace dri::test {
namespace {

// A map of columns in turn over all processes, with one lie.
struct Liar {
    enum class Lie {
        none,
        doubles,
        leaves_out,
        other_owner,
        outside,
        fails,
        fails_at_one,
        fails_in_known,
        silent,
        bad_box,
        bad_count,
        more_each_time
    };
    Lie lie = Lie::none;
    int last = 0;    // position
    int differs = 0; // added to the positions that this process says
};

constexpr int64_t liar_columns = 24, liar_rows = 3;
// The column about which there are lies, at 7.
constexpr int64_t liar_column = 7;

int liar_owner(void *ctx, const int64_t index[], int *position) {
    const auto &liar = *static_cast<const Liar *>(ctx);
    const int64_t n = liar.last + 1;
    *position = static_cast<int>((index[1] + liar.differs) % n);
    if (index[1] != liar_column)
        return DRI_SUCCESS;
    if (liar.lie == Liar::Lie::outside)
        *position = liar.last + 1;
    if (liar.lie == Liar::Lie::fails || (liar.lie == Liar::Lie::fails_at_one && world().rank == liar.last))
        return DRI_fail(DRI_ERR_UNSUPPORTED, "column 7 is on holiday");
    if (liar.lie == Liar::Lie::silent)
        return DRI_ERR_UNSUPPORTED;
    if (liar.lie == Liar::Lie::other_owner)
        *position = static_cast<int>((index[1] + 1) % n);
    return DRI_SUCCESS;
}

// The honest lists, a column each; `liar_column` is in two of them, or in none.
int liar_local(void *ctx, int position, const DRI_Range whole[], int64_t most, DRI_Range boxes[], int64_t *n) {
    const auto &liar = *static_cast<const Liar *>(ctx);
    const int64_t positions = liar.last + 1;
    *n = 0;
    for (const int64_t column : sequence_of(whole[1])) {
        bool mine = column % positions == position;
        if (column == liar_column && liar.lie == Liar::Lie::doubles)
            mine = mine || (column + 1) % positions == position;
        if (column == liar_column && liar.lie == Liar::Lie::leaves_out)
            mine = false;
        if (!mine)
            continue;
        if (*n < most) {
            boxes[2 * *n] = whole[0];
            boxes[2 * *n + 1] = {liar.lie == Liar::Lie::bad_box && column == liar_column ? liar_columns : column,
                                 1, 1};
        }
        ++*n;
    }
    if (liar.lie == Liar::Lie::bad_count)
        *n = -2;
    if (liar.lie == Liar::Lie::more_each_time)
        *n = most + 1;
    return DRI_SUCCESS;
}

Domain domain_of(Liar &liar, bool lists) {
    liar.last = world().size - 1;
    DRI_Map_ops ops = map_ops("liar", liar_owner);
    ops.local = lists ? liar_local : nullptr;
    return make_domain(make_user_map(2, ops, &liar), {{0, 1, liar_rows}, {0, 1, liar_columns}});
}

// After it the library is as good as before.
void expect_honest_array() {
    Liar honest;
    const Domain domain = domain_of(honest, true);
    const Array array = make_array(domain), other = make_array(domain);
    const auto value = [](const Indices &i) { return static_cast<double>(100 * i[0] + i[1]); };
    fill(array, domain, value);
    ASSERT_EQ(DRI_assign(other, nullptr, array, nullptr, nullptr), DRI_SUCCESS) << DRI_error_message();
    ASSERT_EQ(difference(other, domain, value), "");
}

void expect_told(Liar liar, bool lists, DRI_Code code, const std::vector<std::string> &words) {
    const Domain domain = domain_of(liar, lists);
    DRI_Array array{7};
    EXPECT_EQ(DRI_array_create(domain, DRI_DOUBLE, nullptr, &array), code) << DRI_error_message();
    EXPECT_EQ(array.id, 0u);
    const std::string message = DRI_error_message();
    for (const std::string &word : words)
        EXPECT_NE(message.find(word), std::string::npos) << "the message lacks '" << word << "': " << message;
    expect_honest_array();
}

std::string position_text(int64_t column) { return std::to_string(column % world().size); }

TEST(LyingMap, Doubles) {
    if (world().size == 1)
        GTEST_SKIP() << "one position cannot have an element twice with these lists";
    expect_told({.lie = Liar::Lie::doubles}, true, DRI_ERR_OVERLAP,
                {"the map 'liar' has (0, 7) in boxes of positions " +
                 std::to_string(std::min(liar_column % world().size, (liar_column + 1) % world().size)) + " and " +
                 std::to_string(std::max(liar_column % world().size, (liar_column + 1) % world().size))});
}

TEST(LyingMap, LeavesOut) {
    expect_told({.lie = Liar::Lie::leaves_out}, true, DRI_ERR_GAP, {"the map 'liar' has (0, 7) in no box"});
}

TEST(LyingMap, HasAnotherOwnerThanItsBoxes) {
    if (world().size == 1)
        GTEST_SKIP() << "there is one owner";
    expect_told({.lie = Liar::Lie::other_owner}, true, DRI_ERR_MISMATCH,
                {"the map 'liar' says that (0, 7) belongs to position " + position_text(liar_column + 1) +
                 ", but it is in a box of position " + position_text(liar_column)});
}

TEST(LyingMap, SaysAPositionOutside) {
    for (const bool lists : {false, true})
        expect_told({.lie = Liar::Lie::outside}, lists, DRI_ERR_ARG,
                    {"'liar'", "(0, 7)", "position " + std::to_string(world().size)});
}

TEST(LyingMap, Fails) {
    for (const auto lie : {Liar::Lie::fails, Liar::Lie::fails_at_one})
        for (const bool lists : {false, true})
            expect_told({.lie = lie}, lists, DRI_ERR_UNSUPPORTED, {"'liar'", "owner", "column 7 is on holiday"});
}

// A function that reports nothing is not given the message of an older failure.
TEST(LyingMap, FailsSilently) {
    Liar liar{.lie = Liar::Lie::silent};
    const Domain domain = domain_of(liar, true);
    EXPECT_EQ(DRI_fail(DRI_ERR_LIMIT, "an older failure"), DRI_ERR_LIMIT);
    Array array;
    EXPECT_EQ(DRI_array_create(domain, DRI_DOUBLE, nullptr, array.out()), DRI_ERR_UNSUPPORTED);
    const std::string message = DRI_error_message();
    EXPECT_NE(message.find("owner of the map 'liar' returned DRI_ERR_UNSUPPORTED"), std::string::npos) << message;
    EXPECT_EQ(message.find("older"), std::string::npos) << message;
}

// The error handler is called once for each call that fails, whatever that call is made of.
TEST(LyingMap, IsReportedOnce) {
    std::vector<std::string> told;
    DRI_set_error_handler([](int, const char *message,
                             void *to) { static_cast<std::vector<std::string> *>(to)->emplace_back(message); },
                          &told);
    for (const auto lie : {Liar::Lie::fails, Liar::Lie::fails_at_one, Liar::Lie::silent})
        for (const bool lists : {false, true}) {
            Liar liar{.lie = lie};
            const Domain domain = domain_of(liar, lists);
            Array array;
            told.clear();
            EXPECT_EQ(DRI_array_create(domain, DRI_DOUBLE, nullptr, array.out()), DRI_ERR_UNSUPPORTED);
            EXPECT_EQ(told.size(), 1u);
            EXPECT_EQ(told.at(0), DRI_error_message());
        }
    // A call of the public interface fails inside.
    const Domain domain = make_domain(make_map({block_dim(0, 4)}, make_world()), {{0, 1, 4}});
    Array array;
    told.clear();
    EXPECT_EQ(DRI_array_create(domain, world().rank == 0 ? DRI_Type{} : DRI_DOUBLE, nullptr, array.out()),
              DRI_ERR_HANDLE);
    EXPECT_EQ(told.size(), 1u);
    DRI_set_error_handler(nullptr, nullptr);
}

TEST(LyingMap, ListsBoxesOutsideTheDomain) {
    expect_told({.lie = Liar::Lie::bad_box}, true, DRI_ERR_ARG,
                {"'liar'", "position " + position_text(liar_column), "{0..2, 24..24}", "{0..2, 0..23}"});
}

TEST(LyingMap, ListsFewerThanNoBoxes) {
    expect_told({.lie = Liar::Lie::bad_count}, true, DRI_ERR_ARG, {"'liar'", "local", "-2 boxes"});
}

TEST(LyingMap, ListsMoreBoxesEachTime) {
    expect_told({.lie = Liar::Lie::more_each_time}, true, DRI_ERR_MISMATCH,
                {"'liar'", "local", "17 boxes, then 18"});
}

TEST(LyingMap, PacksAnotherNumberOfBytes) {
    DRI_Map_ops ops = map_ops("liar", liar_owner);
    ops.pack = [](void *, void *bytes, size_t, size_t *needed) {
        *needed = bytes ? 9 : 8;
        return int{DRI_SUCCESS};
    };
    ops.unpack = [](const void *, size_t, void **) { return int{DRI_ERR_UNSUPPORTED}; };
    Liar liar;
    const Map map = make_user_map(2, ops, &liar);
    size_t needed = 0;
    EXPECT_EQ(DRI_map_pack(map, nullptr, 0, &needed), DRI_ERR_MISMATCH);
    const std::string message = DRI_error_message();
    EXPECT_NE(message.find("pack of the map 'liar' needs 8 bytes, then 9"), std::string::npos) << message;
}

// The last process has another opinion. Each opinion is right in itself.
TEST(LyingMap, DiffersBetweenProcesses) {
    if (world().size == 1)
        GTEST_SKIP() << "one process agrees with itself";
    expect_told({.differs = world().rank == world().size - 1 ? 1 : 0}, false, DRI_ERR_MISMATCH,
                {"'liar'", "(0, 0)", "disagree", "position 0", "position 1"});
}

// An assignment asks no owner again, so a map that fails later does no harm to arrays that there are.
TEST(LyingMap, MayFailOnceArraysAreThere) {
    Liar liar;
    const Domain domain = domain_of(liar, false);
    const Array array = make_array(domain), other = make_array(domain);
    fill(array, domain, [](const Indices &i) { return static_cast<double>(100 * i[0] + i[1]); });
    liar.lie = Liar::Lie::fails;
    const Ranges some{{0, 2, 2}, {1, 3, 6}};
    ASSERT_EQ(DRI_assign(other, some.data(), array, some.data(), nullptr), DRI_SUCCESS) << DRI_error_message();
    liar.lie = Liar::Lie::none;
    EXPECT_EQ(difference(other, domain,
                         [](const Indices &i) {
                             return i[0] != 1 && i[1] % 3 == 1 && i[1] < 17
                                        ? static_cast<double>(100 * i[0] + i[1])
                                        : 0.0;
                         }),
              "");
}

// Of an assignment: whether this is the process whose function fails.
bool fails_here(const void *ctx) {
    const auto &asked = *static_cast<const Liar *>(ctx);
    return asked.lie == Liar::Lie::fails_in_known && world().rank == asked.last;
}

Domain domain_that_knows(Liar &liar, int (*known)(void *, const DRI_Assignment *, int *)) {
    DRI_Map_ops ops = map_ops("liar", liar_owner);
    ops.known = known;
    return make_domain(make_user_map(2, ops, &liar), {{0, 1, liar_rows}, {0, 1, liar_columns}});
}

// On one process a function fails that the others answer alike. They are told instead of waiting for it.
TEST(LyingMap, FailsWhereOthersDeclineAnAssignment) {
    Liar liar;
    liar.last = world().size - 1;
    const Domain domain = domain_that_knows(liar, [](void *ctx, const DRI_Assignment *, int *done) {
        *done = 0;
        return fails_here(ctx) ? DRI_fail(DRI_ERR_LIMIT, "too many assignments today") : int{DRI_SUCCESS};
    });
    const Array array = make_array(domain), other = make_array(domain);
    const auto value = [](const Indices &i) { return static_cast<double>(100 * i[0] + i[1]); };
    fill(array, domain, value);
    liar.lie = Liar::Lie::fails_in_known;
    for (int turn = 0; turn < 2; ++turn) {
        ASSERT_EQ(DRI_assign(other, nullptr, array, nullptr, nullptr), DRI_ERR_LIMIT) << DRI_error_message();
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find("the function known of the map 'liar' failed"), std::string::npos) << message;
        EXPECT_NE(message.find("too many assignments today"), std::string::npos) << message;
        EXPECT_EQ(difference(other, domain, [](const Indices &) { return 0.0; }), "");
    }
    liar.lie = Liar::Lie::none;
    ASSERT_EQ(DRI_assign(other, nullptr, array, nullptr, nullptr), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(difference(other, domain, value), "");
}

// What the function waited for may have come to the others, which do the assignment. Nobody then waits for
// anybody.
TEST(LyingMap, TimesOutWhereOthersAssign) {
    Liar liar;
    liar.last = world().size - 1;
    const Domain domain = domain_that_knows(liar, [](void *ctx, const DRI_Assignment *, int *done) {
        const bool is_late = fails_here(ctx);
        *done = static_cast<const Liar *>(ctx)->lie == Liar::Lie::fails_in_known && !is_late;
        return is_late ? DRI_fail(DRI_ERR_TIMEOUT, "nobody came") : int{DRI_SUCCESS};
    });
    const Array array = make_array(domain), other = make_array(domain);
    const auto value = [](const Indices &i) { return static_cast<double>(100 * i[0] + i[1]); };
    fill(array, domain, value);
    liar.lie = Liar::Lie::fails_in_known;
    const bool is_late = world().rank == liar.last;
    EXPECT_EQ(DRI_assign(other, nullptr, array, nullptr, nullptr), is_late ? DRI_ERR_TIMEOUT : DRI_SUCCESS);
    if (is_late) {
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find("nobody came"), std::string::npos) << message;
    }
    liar.lie = Liar::Lie::none;
    ASSERT_EQ(DRI_assign(other, nullptr, array, nullptr, nullptr), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(difference(other, domain, value), "");
}

// Every process can find the lies alone.
TEST(LyingMap, CheckOfADomainFindsTheSame) {
    for (const auto &[lie, code] : {std::pair{Liar::Lie::leaves_out, DRI_ERR_GAP},
                                    {Liar::Lie::other_owner, DRI_ERR_MISMATCH},
                                    {Liar::Lie::doubles, DRI_ERR_OVERLAP},
                                    {Liar::Lie::outside, DRI_ERR_ARG},
                                    {Liar::Lie::fails, DRI_ERR_UNSUPPORTED}}) {
        if (world().size == 1 && (lie == Liar::Lie::doubles || lie == Liar::Lie::other_owner))
            continue;
        Liar liar{.lie = lie};
        const Domain domain = domain_of(liar, true);
        EXPECT_EQ(DRI_domain_check(domain), code) << DRI_error_message();
        EXPECT_NE(std::string(DRI_error_message()).find("'liar'"), std::string::npos) << DRI_error_message();
    }
    Liar honest;
    const Domain domain = domain_of(honest, true);
    EXPECT_EQ(DRI_domain_check(domain), DRI_SUCCESS) << DRI_error_message();
}

} // namespace
} // namespace dri::test
