// Wrong calls on types, global data objects, partitions and error codes. All are local.
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/wrong_call.hpp"

#include <array>
#include <limits>

namespace dri::test {
namespace {

const std::array<int64_t, 9> ones{1, 1, 1, 1, 1, 1, 1, 1, 1};

DRI_Type old_type() {
    DRI_Type type{};
    EXPECT_EQ(DRI_type_create(6, 8, &type), DRI_SUCCESS);
    return stale(type, DRI_type_destroy);
}

DRI_Gdo old_gdo() {
    DRI_Gdo gdo{};
    EXPECT_EQ(DRI_gdo_create(1, DRI_FLOAT, ones.data(), &gdo), DRI_SUCCESS);
    return stale(gdo, DRI_gdo_destroy);
}

DRI_Part old_part() {
    DRI_Part part{};
    EXPECT_EQ(DRI_part_create_blocks(2, 0, &part), DRI_SUCCESS);
    return stale(part, DRI_part_destroy);
}

auto new_type(size_t size, size_t alignment) {
    return makes<DRI_Type>([=](DRI_Type *out) { return DRI_type_create(size, alignment, out); });
}

auto pitch_of(DRI_Type type) {
    return [=] {
        size_t pitch = 0;
        return DRI_type_get_pitch(type, &pitch);
    };
}

TEST(WrongCallsTypes, AreRefused) {
    const Gdo gdo = make_gdo({4});
    const DRI_Type old = old_type();
    const WrongCalls table{
        {"no bytes", new_type(0, 1), DRI_ERR_ARG, {"0"}},
        {"alignment 0", new_type(4, 0), DRI_ERR_ARG, {"0"}},
        {"alignment no power of two", new_type(4, 3), DRI_ERR_ARG, {"alignment", "3"}},
        {"more bytes than int64_t counts", new_type(std::numeric_limits<size_t>::max(), 1), DRI_ERR_OVERFLOW, {}},
        {"a pitch beyond int64_t", new_type(static_cast<size_t>(largest), 8), DRI_ERR_OVERFLOW, {}},
        {"no output for the handle", [] { return DRI_type_create(4, 4, nullptr); }, DRI_ERR_ARG, {"type"}},
        {"pitch of null", pitch_of({}), DRI_ERR_HANDLE, {}},
        {"pitch of a GDO", pitch_of(as<DRI_Type>(gdo.get())), DRI_ERR_HANDLE, {}},
        {"pitch of a destroyed type", pitch_of(old), DRI_ERR_HANDLE, {}},
        {"no output for the pitch", [] { return DRI_type_get_pitch(DRI_FLOAT, nullptr); }, DRI_ERR_ARG, {"pitch"}},
        {"destroying NULL", [] { return DRI_type_destroy(nullptr); }, DRI_ERR_ARG, {}},
        {"destroying null", destroys(DRI_Type{}, DRI_type_destroy), DRI_ERR_HANDLE, {}},
        {"destroying twice", destroys(old, DRI_type_destroy), DRI_ERR_HANDLE, {}},
        {"destroying the library's type", destroys(DRI_FLOAT, DRI_type_destroy), DRI_ERR_HANDLE, {}},
        {"destroying a GDO as a type", destroys(as<DRI_Type>(gdo.get()), DRI_type_destroy), DRI_ERR_HANDLE, {}},
    };
    expect_refused(table);
    int64_t elements = 0;
    EXPECT_EQ(DRI_gdo_get_count(gdo, &elements, nullptr), DRI_SUCCESS) << "the GDO stays valid";
    size_t pitch = 0;
    EXPECT_EQ(DRI_type_get_pitch(DRI_FLOAT, &pitch), DRI_SUCCESS) << "the library's type stays valid";
}

auto new_gdo(int ndims, DRI_Type type, const std::vector<int64_t> &sizes) {
    return makes<DRI_Gdo>([=](DRI_Gdo *out) { return DRI_gdo_create(ndims, type, sizes.data(), out); });
}

auto subset(DRI_Gdo gdo, const std::vector<int64_t> &offsets, const std::vector<int64_t> &sizes) {
    return makes<DRI_Gdo>([=](DRI_Gdo *out) { return DRI_gdo_subset(gdo, offsets.data(), sizes.data(), out); });
}

TEST(WrongCallsGdo, AreRefused) {
    const Gdo gdo = make_gdo({6, 5});
    const DRI_Gdo g = gdo, old = old_gdo();
    const std::vector<int64_t> nine(9, 1);
    const WrongCalls table{
        {"fewer than 0 dimensions", new_gdo(-1, DRI_FLOAT, nine), DRI_ERR_ARG, {"-1", "8"}},
        {"9 dimensions", new_gdo(9, DRI_FLOAT, nine), DRI_ERR_ARG, {"9", "8"}},
        {"null type", new_gdo(1, DRI_Type{}, nine), DRI_ERR_HANDLE, {}},
        {"a GDO for a type", new_gdo(1, as<DRI_Type>(g), nine), DRI_ERR_HANDLE, {}},
        {"a destroyed type", new_gdo(1, old_type(), nine), DRI_ERR_HANDLE, {}},
        {"an invented type", new_gdo(1, DRI_Type{0x1234567812345678u}, nine), DRI_ERR_HANDLE, {}},
        {"a neighbour of the library's types",
         new_gdo(1, DRI_Type{DRI_COMPLEX_DOUBLE.id + 1}, nine),
         DRI_ERR_HANDLE,
         {}},
        {"no sizes",
         makes<DRI_Gdo>([](DRI_Gdo *o) { return DRI_gdo_create(2, DRI_FLOAT, nullptr, o); }),
         DRI_ERR_ARG,
         {"sizes"}},
        {"a negative size", new_gdo(2, DRI_FLOAT, {4, -3}), DRI_ERR_ARG, {"dimension 1", "-3"}},
        {"too many elements", new_gdo(3, DRI_INT8, {int64_t{1} << 31, int64_t{1} << 31, 4}), DRI_ERR_OVERFLOW, {}},
        {"too many bytes", new_gdo(1, DRI_COMPLEX_DOUBLE, {int64_t{1} << 61}), DRI_ERR_OVERFLOW, {"16"}},
        {"no output for the handle",
         [] { return DRI_gdo_create(1, DRI_FLOAT, ones.data(), nullptr); },
         DRI_ERR_ARG,
         {"gdo"}},
        {"subset of null", subset({}, {0, 0}, {1, 1}), DRI_ERR_HANDLE, {}},
        {"subset of a type", subset(as<DRI_Gdo>(DRI_FLOAT), {0, 0}, {1, 1}), DRI_ERR_HANDLE, {}},
        {"subset of a destroyed GDO", subset(old, {0, 0}, {1, 1}), DRI_ERR_HANDLE, {}},
        {"subset before the beginning", subset(g, {0, -1}, {1, 1}), DRI_ERR_ARG, {"dimension 1", "-1"}},
        {"subset behind the end", subset(g, {2, 0}, {5, 5}), DRI_ERR_ARG, {"dimension 0", "6"}},
        {"subset of negative size", subset(g, {0, 0}, {1, -2}), DRI_ERR_ARG, {"dimension 1", "-2"}},
        {"subset whose end overflows", subset(g, {largest, 0}, {largest, 5}), DRI_ERR_ARG, {"dimension 0"}},
        {"subset without offsets",
         makes<DRI_Gdo>([g](DRI_Gdo *out) { return DRI_gdo_subset(g, nullptr, ones.data(), out); }),
         DRI_ERR_ARG,
         {}},
        {"subset without sizes",
         makes<DRI_Gdo>([g](DRI_Gdo *out) { return DRI_gdo_subset(g, ones.data(), nullptr, out); }),
         DRI_ERR_ARG,
         {}},
        {"no output for the subset",
         [g] { return DRI_gdo_subset(g, ones.data(), ones.data(), nullptr); },
         DRI_ERR_ARG,
         {"sub"}},
        {"sizes of null", [] { return DRI_gdo_get_sizes({}, nullptr, nullptr); }, DRI_ERR_HANDLE, {}},
        {"sizes of a destroyed GDO",
         [old] { return DRI_gdo_get_sizes(old, nullptr, nullptr); },
         DRI_ERR_HANDLE,
         {}},
        {"count of null", [] { return DRI_gdo_get_count({}, nullptr, nullptr); }, DRI_ERR_HANDLE, {}},
        {"count of a type",
         [] { return DRI_gdo_get_count(as<DRI_Gdo>(DRI_INT8), nullptr, nullptr); },
         DRI_ERR_HANDLE,
         {}},
        {"destroying NULL", [] { return DRI_gdo_destroy(nullptr); }, DRI_ERR_ARG, {}},
        {"destroying null", destroys(DRI_Gdo{}, DRI_gdo_destroy), DRI_ERR_HANDLE, {}},
        {"destroying twice", destroys(old, DRI_gdo_destroy), DRI_ERR_HANDLE, {}},
        {"destroying a type as a GDO", destroys(as<DRI_Gdo>(DRI_FLOAT), DRI_gdo_destroy), DRI_ERR_HANDLE, {}},
    };
    expect_refused(table);
}

const int64_t sizes_3_4[]{3, 4}, sizes_3_minus[]{3, -4}, sizes_huge[]{largest, 1};

TEST(WrongCallsPart, RulesAreRefused) {
    const auto reserved = [](size_t i) {
        DRI_Part_dim dim = Rule{.kind = DRI_BLOCK};
        dim.reserved[i] = 1;
        return rule_of(dim);
    };
    const DRI_Part_dim plain[9]{};
    const WrongCalls table{
        {"fewer than 0 dimensions",
         makes<DRI_Part>([&](DRI_Part *out) { return DRI_part_create_rule(-1, plain, out); }),
         DRI_ERR_ARG,
         {"-1"}},
        {"9 dimensions",
         makes<DRI_Part>([&](DRI_Part *out) { return DRI_part_create_rule(9, plain, out); }),
         DRI_ERR_ARG,
         {"9", "8"}},
        {"no rules",
         makes<DRI_Part>([](DRI_Part *out) { return DRI_part_create_rule(1, nullptr, out); }),
         DRI_ERR_ARG,
         {"dims"}},
        {"no output for the handle",
         [&] { return DRI_part_create_rule(1, plain, nullptr); },
         DRI_ERR_ARG,
         {"part"}},
        {"-2 parts", rule({.kind = DRI_BLOCK, .nparts = -2}), DRI_ERR_ARG, {"dimension 1", "nparts", "-2"}},
        {"a whole dimension in 2 parts", rule({.nparts = 2}), DRI_ERR_ARG, {"dimension 1", "nparts", "2"}},
        {"a remainder where there is none",
         rule({.kind = DRI_BLOCK_CYCLIC, .remainder = DRI_CEIL, .block = 2}),
         DRI_ERR_ARG,
         {"dimension 1", "remainder"}},
        {"a remainder of a whole dimension",
         rule({.remainder = DRI_CEIL}),
         DRI_ERR_ARG,
         {"dimension 1", "remainder"}},
        {"a block of plain blocks",
         rule({.kind = DRI_BLOCK, .block = 4}),
         DRI_ERR_ARG,
         {"dimension 1", "block", "4"}},
        {"a block of a whole dimension", rule({.block = 4}), DRI_ERR_ARG, {"dimension 1", "block", "4"}},
        {"cyclic without block", rule({.kind = DRI_BLOCK_CYCLIC}), DRI_ERR_ARG, {"dimension 1", "block", "0"}},
        {"cyclic with block -1",
         rule({.kind = DRI_BLOCK_CYCLIC, .block = -1}),
         DRI_ERR_ARG,
         {"dimension 1", "-1"}},
        {"sizes of plain blocks",
         rule({.kind = DRI_BLOCK, .nparts = 2, .sizes = sizes_3_4}),
         DRI_ERR_ARG,
         {"dimension 1", "sizes"}},
        {"sizes of a whole dimension", rule({.sizes = sizes_3_4}), DRI_ERR_ARG, {"dimension 1", "sizes"}},
        {"sizes that are missing", rule({.kind = DRI_SIZES, .nparts = 2}), DRI_ERR_ARG, {"dimension 1", "sizes"}},
        {"sizes without their number",
         rule({.kind = DRI_SIZES, .sizes = sizes_3_4}),
         DRI_ERR_ARG,
         {"dimension 1", "nparts"}},
        {"a negative size",
         rule({.kind = DRI_SIZES, .nparts = 2, .sizes = sizes_3_minus}),
         DRI_ERR_ARG,
         {"dimension 1", "-4"}},
        {"sizes whose sum overflows",
         rule({.kind = DRI_SIZES, .nparts = 2, .sizes = sizes_huge}),
         DRI_ERR_OVERFLOW,
         {}},
        {"min -1", rule({.kind = DRI_BLOCK, .min = -1}), DRI_ERR_ARG, {"dimension 1", "min", "-1"}},
        {"max -1", rule({.kind = DRI_BLOCK, .max = -1}), DRI_ERR_ARG, {"dimension 1", "max", "-1"}},
        {"multiple -1", rule({.kind = DRI_BLOCK, .multiple = -1}), DRI_ERR_ARG, {"dimension 1", "multiple", "-1"}},
        {"max below min",
         rule({.kind = DRI_BLOCK, .min = 5, .max = 4}),
         DRI_ERR_ARG,
         {"dimension 1", "max", "min"}},
        {"the first reserved field", reserved(0), DRI_ERR_ARG, {"dimension 1", "reserved[0]"}},
        {"the last reserved field", reserved(2), DRI_ERR_ARG, {"dimension 1", "reserved[2]"}},
    };
    expect_refused(table);
}

// C lets a caller pass any number as an enumeration.
TEST(WrongCallsPart, NumbersOutsideTheEnumerationsAreRefused) {
    const auto bad_kind = [](int kind) {
        DRI_Part_dim dim{};
        dim.kind = static_cast<DRI_Part_kind>(kind);
        dim.nparts = 1;
        return rule_of(dim);
    };
    const auto bad_remainder = [](int remainder) {
        DRI_Part_dim dim = Rule{.kind = DRI_BLOCK};
        dim.remainder = static_cast<DRI_Remainder>(remainder);
        return rule_of(dim);
    };
    expect_refused({
        {"kind 77", bad_kind(77), DRI_ERR_ARG, {"dimension 1", "kind", "77"}},
        {"kind -1", bad_kind(-1), DRI_ERR_ARG, {"dimension 1", "kind", "-1"}},
        {"remainder 4", bad_remainder(4), DRI_ERR_ARG, {"dimension 1", "remainder", "4"}},
        {"remainder -1", bad_remainder(-1), DRI_ERR_ARG, {"dimension 1", "remainder", "-1"}},
    });
}

auto blocks(int ndims, int dim) {
    return makes<DRI_Part>([=](DRI_Part *out) { return DRI_part_create_blocks(ndims, dim, out); });
}

auto turned(DRI_Part part, const std::vector<int> &perm) {
    return makes<DRI_Part>([=](DRI_Part *out) { return DRI_part_turn(part, perm.data(), out); });
}

TEST(WrongCallsPart, WrongBlocksAndPermutationsAreRefused) {
    const Part part = make_blocks(2, 0);
    const DRI_Part p = part, old = old_part();
    const WrongCalls table{
        {"blocks of nothing", blocks(0, 0), DRI_ERR_ARG, {"0"}},
        {"blocks of -1 dimensions", blocks(-1, 0), DRI_ERR_ARG, {"-1"}},
        {"blocks of 9 dimensions", blocks(9, 0), DRI_ERR_ARG, {"9"}},
        {"blocks of dimension -1", blocks(2, -1), DRI_ERR_ARG, {"-1", "2"}},
        {"blocks of a dimension too far", blocks(2, 2), DRI_ERR_ARG, {"2"}},
        {"no output for the blocks", [] { return DRI_part_create_blocks(2, 0, nullptr); }, DRI_ERR_ARG, {"part"}},
        {"permutation of null", turned({}, {1, 0}), DRI_ERR_HANDLE, {}},
        {"permutation of a type", turned(as<DRI_Part>(DRI_INT8), {1, 0}), DRI_ERR_HANDLE, {}},
        {"permutation of a destroyed partition", turned(old, {1, 0}), DRI_ERR_HANDLE, {}},
        {"permutation with a dimension twice", turned(p, {1, 1}), DRI_ERR_ARG, {"perm[1]", "1"}},
        {"permutation with dimension -1", turned(p, {-1, 0}), DRI_ERR_ARG, {"perm[0]", "-1"}},
        {"permutation with too high a dimension", turned(p, {0, 2}), DRI_ERR_ARG, {"perm[1]", "2"}},
        {"permutation without perm",
         makes<DRI_Part>([p](DRI_Part *out) { return DRI_part_turn(p, nullptr, out); }),
         DRI_ERR_ARG,
         {"perm"}},
        {"no output for the permuted one",
         [p] {
             const int perm[]{1, 0};
             return DRI_part_turn(p, perm, nullptr);
         },
         DRI_ERR_ARG,
         {"turned"}},
        {"destroying NULL", [] { return DRI_part_destroy(nullptr); }, DRI_ERR_ARG, {}},
        {"destroying null", destroys(DRI_Part{}, DRI_part_destroy), DRI_ERR_HANDLE, {}},
        {"destroying twice", destroys(old, DRI_part_destroy), DRI_ERR_HANDLE, {}},
        {"destroying a type as a partition",
         destroys(as<DRI_Part>(DRI_FLOAT), DRI_part_destroy),
         DRI_ERR_HANDLE,
         {}},
    };
    expect_refused(table);
}

TEST(Codes, HaveTheirNames) {
    const char *const names[]{"DRI_SUCCESS",         "DRI_ERR_ARG",      "DRI_ERR_HANDLE",    "DRI_ERR_STATE",
                              "DRI_ERR_CONSTRAINT",  "DRI_ERR_OVERLAP",  "DRI_ERR_GAP",       "DRI_ERR_MISMATCH",
                              "DRI_ERR_UNMATCHED",   "DRI_ERR_OVERFLOW", "DRI_ERR_MEMORY",    "DRI_ERR_LIMIT",
                              "DRI_ERR_TIMEOUT",     "DRI_ERR_PEER",     "DRI_ERR_DEADLOCK",  "DRI_ERR_TRANSPORT",
                              "DRI_ERR_UNSUPPORTED", "DRI_ERR_INTERNAL", "DRI_END_OF_STREAM", "DRI_ERR_CYCLE",
                              "DRI_ERR_DUPLICATE"};
    for (int code = 0; code < 21; ++code)
        EXPECT_STREQ(DRI_error_string(code), names[code]);
    for (int code : {-1, 21, 1000000, -1000000})
        EXPECT_STREQ(DRI_error_string(code), "unknown DRI code");
}

struct HandledErrors {
    int calls = 0, code = 0;
    std::string message;
};

void listen(int code, const char *message, void *context) {
    auto &handled = *static_cast<HandledErrors *>(context);
    ++handled.calls;
    handled.code = code;
    handled.message = message;
    int flag = 0;
    EXPECT_EQ(DRI_initialized(&flag), DRI_SUCCESS) << "a handler may call the library";
}

// An error handler that makes failing calls itself, and records whether its message stays valid.
void stumble(int code, const char *message, void *context) {
    auto &handled = *static_cast<HandledErrors *>(context);
    ++handled.calls;
    handled.code = code;
    EXPECT_STREQ(message, DRI_error_message());
    handled.message = message;
    for (int i = 0; i < 50; ++i) {
        DRI_Gdo gdo{};
        const int64_t wrong = -1234567;
        EXPECT_EQ(DRI_gdo_create(1, DRI_INT8, &wrong, &gdo), DRI_ERR_ARG);
        EXPECT_NE(std::string(DRI_error_message()).find("-1234567"), std::string::npos) << DRI_error_message();
        EXPECT_EQ(DRI_gdo_get_count({}, nullptr, nullptr), DRI_ERR_HANDLE);
    }
    EXPECT_EQ(handled.message, message) << "valid until the handler returns";
}

TEST(ErrorHandler, MayMakeFailingCalls) {
    HandledErrors handled;
    EXPECT_EQ(DRI_set_error_handler(stumble, &handled), DRI_SUCCESS);
    DRI_Gdo gdo{};
    EXPECT_EQ(DRI_gdo_create(9, DRI_FLOAT, ones.data(), &gdo), DRI_ERR_ARG);
    EXPECT_EQ(handled.calls, 1) << "not for its own failures";
    EXPECT_EQ(handled.code, DRI_ERR_ARG);
    EXPECT_EQ(handled.message, DRI_error_message());
    EXPECT_NE(handled.message.find("ndims is 9"), std::string::npos) << handled.message;
    EXPECT_EQ(DRI_gdo_destroy(&gdo), DRI_ERR_HANDLE);
    EXPECT_EQ(handled.calls, 2) << "for the next failure again";
    EXPECT_EQ(DRI_set_error_handler(nullptr, nullptr), DRI_SUCCESS);
}

TEST(ErrorHandler, IsCalledForEveryFailureAndNothingElse) {
    HandledErrors handled;
    EXPECT_EQ(DRI_set_error_handler(listen, &handled), DRI_SUCCESS);
    DRI_Gdo gdo{};
    EXPECT_EQ(DRI_gdo_create(1, DRI_FLOAT, ones.data(), &gdo), DRI_SUCCESS);
    EXPECT_EQ(DRI_gdo_destroy(&gdo), DRI_SUCCESS);
    EXPECT_EQ(handled.calls, 0);
    EXPECT_EQ(DRI_gdo_create(9, DRI_FLOAT, ones.data(), &gdo), DRI_ERR_ARG);
    EXPECT_EQ(handled.calls, 1);
    EXPECT_EQ(handled.code, DRI_ERR_ARG);
    EXPECT_EQ(handled.message, DRI_error_message());
    EXPECT_NE(handled.message.find("DRI_gdo_create"), std::string::npos) << handled.message;
    EXPECT_EQ(DRI_set_error_handler(nullptr, nullptr), DRI_SUCCESS);
    EXPECT_EQ(DRI_gdo_destroy(&gdo), DRI_ERR_HANDLE);
    EXPECT_EQ(handled.calls, 1);
}

} // namespace
} // namespace dri::test
