// Plans serve other arrays of equal form: loops and moves over new arrays make few plans, wherever these lie.
#include "support/arrays.hpp"
#include "support/dist_kinds.hpp"
#include "support/library.hpp"
#include "support/resident_bytes.hpp"
#include "support/sanitizer.hpp"

#include <functional>
#include <numeric>
#include <set>

namespace dri::test {
namespace {

constexpr int64_t fresh_columns = 3;

class FreshArrays : public testing::Test {
protected:
    const int64_t rows_ = 4 * world().size;
    const Domain domain_ = make_domain(make_map({block_dim(0, rows_), whole_dim()}, make_world()),
                                       {{0, 1, rows_}, {0, 1, fresh_columns}});
    DRI_Kernel kernel_ = nullptr;
    void *copy_ = nullptr;

    void SetUp() override {
        expect_success(DRI_loop_kernel(DRI_OP_COPY, DRI_DOUBLE, &kernel_, &copy_, nullptr), "DRI_loop_kernel");
    }
    static MapDim whole_dim() {
        MapDim rule;
        rule.kind = DRI_WHOLE;
        return rule;
    }
    // In memory of the library, or of the caller.
    Array made(Values *memory = nullptr) const {
        Array array;
        if (memory)
            memory->assign(static_cast<size_t>(rows_ * fresh_columns), 0);
        expect_success(DRI_array_create(domain_, DRI_DOUBLE, memory ? memory->data() : nullptr, array.out()),
                       "DRI_array_create");
        return array;
    }
    void number(DRI_Array array, double from) const {
        fill(array, domain_,
             [&](const Indices &i) { return from + static_cast<double>(i[0] * fresh_columns + i[1]); });
    }
    // to[:-2] = from[2:]
    Loop shift(DRI_Array to, DRI_Array from) const {
        const auto slice = [&](int64_t first) { return Ranges{{first, 1, rows_ - 2}, {0, 1, fresh_columns}}; };
        const DRI_Operand target = operand_of(to, slice(0)), read = operand_of(from, slice(2));
        Loop loop;
        expect_success(DRI_loop_create(&target, 1, &read, loop.out()), "DRI_loop_create");
        return loop;
    }
    void run(DRI_Loop loop) const { expect_success(DRI_loop_run(loop, kernel_, copy_), "DRI_loop_run"); }
    // Elements of the last two rows.
    std::string shifted(DRI_Array to, double from, const ValueOf &rest) const {
        return difference(to, domain_, [&](const Indices &i) {
            return i[0] < rows_ - 2 ? from + static_cast<double>((i[0] + 2) * fresh_columns + i[1]) : rest(i);
        });
    }
    static std::string explained(DRI_Loop loop) {
        std::string text(4000, ' ');
        expect_success(DRI_loop_explain(loop, text.data(), text.size()), "DRI_loop_explain");
        return text.substr(0, text.find('\0'));
    }
};

double zero(const Indices &) { return 0; }

TEST_F(FreshArrays, ALoopOverThemMakesFewPlans) {
    std::set<std::string> plans;
    for (int turn = 0; turn < 20; ++turn) {
        const Array from = made(), to = made();
        number(from, turn);
        const Loop loop = shift(to, from);
        run(loop);
        EXPECT_EQ(shifted(to, turn, zero), "") << turn;
        plans.insert(explained(loop));
    }
    EXPECT_LE(plans.size(), 4U);
    if (world().size > 1) {
        EXPECT_NE(plans.begin()->find("transfer"), std::string::npos) << *plans.begin();
    }
}

// What was read is the target now, too, so the result takes a temporary.
TEST_F(FreshArrays, AlsoInPlace) {
    std::set<std::string> plans;
    for (int turn = 0; turn < 10; ++turn) {
        const Array array = made();
        number(array, turn);
        const Loop loop = shift(array, array);
        run(loop);
        const auto same = [&](const Indices &i) {
            return turn + static_cast<double>(i[0] * fresh_columns + i[1]);
        };
        EXPECT_EQ(shifted(array, turn, same), "") << turn;
        plans.insert(explained(loop));
    }
    EXPECT_LE(plans.size(), 4U);
}

TEST_F(FreshArrays, InAnyMemory) {
    for (int turn = 0; turn < 24; ++turn) {
        Values one, two;
        const bool is_odd = (turn + world().rank) % 2 == 1; // processes may differ
        const Array from = made(turn % 3 == 0 ? nullptr
                                : is_odd      ? &one
                                              : nullptr),
                    to = made(turn % 5 == 0 ? &two : nullptr);
        number(from, turn);
        run(shift(to, from));
        EXPECT_EQ(shifted(to, turn, zero), "") << turn;
    }
}

// Loops whose handles exist take plans alternately: there are more loops than plans.
TEST_F(FreshArrays, ManyLoopsShareFewPlans) {
    std::vector<Array> arrays;
    std::vector<Loop> loops;
    for (int i = 0; i < 7; ++i)
        arrays.push_back(made());
    for (size_t i = 0; i + 1 < arrays.size(); ++i)
        loops.push_back(shift(arrays[i + 1], arrays[i]));
    for (int turn = 0; turn < 3; ++turn)
        for (const size_t i : {0U, 5U, 1U, 4U, 2U, 3U, 3U, 0U}) {
            number(arrays[i], static_cast<double>(1000 * turn) + static_cast<double>(i));
            fill(arrays[i + 1], domain_, zero);
            run(loops[i]);
            EXPECT_EQ(shifted(arrays[i + 1], 1000 * turn + static_cast<double>(i), zero), "") << turn << " " << i;
            barrier();
        }
}

// Arrays that are cut otherwise have few plans, too.
TEST_F(FreshArrays, CutOtherwise) {
    const int64_t n = 6 * world().size;
    MapDim ring = block_dim(0, n);
    ring.left = ring.right = 2;
    for (const std::vector<MapDim> &rules : {std::vector{whole_dim(), block_dim(0, n)},
                                             std::vector{ring, whole_dim()}, std::vector{whole_dim(), ring}}) {
        const Domain domain = make_domain(make_map(rules, make_world()), {{0, 1, n}, {0, 1, n}});
        std::set<std::string> plans;
        for (int turn = 0; turn < 20; ++turn) {
            const Array from = make_array(domain), to = make_array(domain);
            fill(from, domain, [&](const Indices &i) { return turn + static_cast<double>(i[0] * n + i[1]); });
            const DRI_Operand target = operand_of(to, {{0, 1, n - 2}, {0, 1, n - 1}}),
                              read = operand_of(from, {{2, 1, n - 2}, {1, 1, n - 1}});
            Loop loop;
            expect_success(DRI_loop_create(&target, 1, &read, loop.out()), "DRI_loop_create");
            run(loop);
            EXPECT_EQ(difference(to, domain,
                                 [&](const Indices &i) {
                                     return i[0] < n - 2 && i[1] < n - 1
                                                ? turn + static_cast<double>((i[0] + 2) * n + i[1] + 1)
                                                : 0;
                                 }),
                      "")
                << turn;
            plans.insert(explained(loop));
        }
        EXPECT_LE(plans.size(), 4U);
    }
}

// Two maps of the user have one name, but other owners.
TEST_F(FreshArrays, OverMapsOfOneName) {
    const int64_t n = 4 * world().size;
    const auto owned_by = [](void *rows, const int64_t index[], int *position) {
        *position =
            static_cast<int>(std::min<int64_t>(index[0] / *static_cast<int64_t *>(rows), world().size - 1));
        return static_cast<int>(DRI_SUCCESS);
    };
    for (int64_t rows : {3, 2, 4}) {
        const Domain domain = make_domain(make_user_map(1, map_ops("some", owned_by), &rows), {{0, 1, n}});
        const Array from = make_array(domain), to = make_array(domain);
        fill(from, domain, [](const Indices &i) { return static_cast<double>(i[0]); });
        const DRI_Operand target = operand_of(to, {{0, 1, n - 2}}), read = operand_of(from, {{2, 1, n - 2}});
        Loop loop;
        expect_success(DRI_loop_create(&target, 1, &read, loop.out()), "DRI_loop_create");
        run(loop);
        EXPECT_EQ(difference(to, domain,
                             [&](const Indices &i) { return i[0] < n - 2 ? static_cast<double>(i[0] + 2) : 0; }),
                  "")
            << rows;
    }
}

// The plan is known, so making the result needs nobody else, and the result has a domain of its own.
TEST_F(FreshArrays, ResultsOfMovesAreApart) {
    const Array from = made();
    const int turned[]{1, 0};
    std::vector<Array> results;
    for (int turn = 0; turn < 5; ++turn) {
        number(from, 1000 * turn);
        Array to;
        expect_success(DRI_array_permute(from, turned, to.out()), "DRI_array_permute");
        results.push_back(std::move(to));
        if (turn == 2) {
            Domain domain;
            expect_success(DRI_array_get_domain(results[1], domain.out()), "DRI_array_get_domain");
            const Ranges fewer{{0, 1, 2}, {0, 1, 2}};
            expect_success(DRI_domain_set(domain, DRI_Map{}, fewer.data()), "DRI_domain_set");
            results[0] = Array(); // its memory is free
        }
    }
    for (size_t turn = 2; turn < results.size(); ++turn) {
        const Values found = all_of(results[turn], {fresh_columns, rows_});
        for (int64_t i = 0; i < rows_; ++i)
            for (int64_t j = 0; j < fresh_columns; ++j)
                ASSERT_EQ(found[static_cast<size_t>(j * rows_ + i)],
                          1000 * static_cast<double>(turn) + static_cast<double>(i * fresh_columns + j));
    }
}

TEST_F(FreshArrays, MovesOfThemToo) {
    const int turned[]{1, 0};
    for (int turn = 0; turn < 12; ++turn) {
        Values memory;
        const Array from = made(turn % 4 == 3 ? &memory : nullptr);
        number(from, turn);
        Array to;
        expect_success(DRI_array_permute(from, turned, to.out()), "DRI_array_permute");
        const Values found = all_of(to, {fresh_columns, rows_});
        for (int64_t i = 0; i < rows_; ++i)
            for (int64_t j = 0; j < fresh_columns; ++j)
                ASSERT_EQ(found[static_cast<size_t>(j * rows_ + i)],
                          turn + static_cast<double>(i * fresh_columns + j));
        Values all(static_cast<size_t>(rows_ * fresh_columns));
        expect_success(DRI_array_gather(from, nullptr, -1, all.data()), "DRI_array_gather");
        Values wanted(all.size());
        std::iota(wanted.begin(), wanted.end(), turn);
        EXPECT_EQ(all, wanted);
    }
}

// Plans that are kept have no memory of arrays that are gone, on any process, beside address space.
class FreedArrays : public FreshArrays {
protected:
    void SetUp() override {
        if (sanitized)
            GTEST_SKIP() << "a sanitizer's allocator keeps freed memory";
        FreshArrays::SetUp();
    }
    // Calls it with arrays whose shapes differ, so that each has a plan of its own.
    static void expect_freed(const std::function<void(DRI_Array array, const Numbers &shape)> &call) {
        constexpr int turns = 12;
        constexpr int64_t bytes = int64_t{4} << 20, rows = 512;
        int64_t before = 0;
        for (int turn = -2; turn < turns; ++turn) {
            if (turn == 0)
                before = resident_bytes();
            const Numbers shape{rows * world().size, bytes / 8 / rows + turn};
            const Array array = shape_array(shape, make_world());
            call(array, shape);
        }
        EXPECT_LT(resident_bytes() - before, turns * bytes / 2);
    }
};

TEST_F(FreedArrays, AfterLoops) {
    expect_freed([&](DRI_Array array, const Numbers &shape) {
        const auto slice = [&](int64_t first) { return Ranges{{first, 1, shape[0] - 2}, {0, 1, shape[1]}}; };
        const DRI_Operand target = operand_of(array, slice(0)), read = operand_of(array, slice(2));
        Loop loop;
        expect_success(DRI_loop_create(&target, 1, &read, loop.out()), "DRI_loop_create");
        run(loop);
    });
}

TEST_F(FreedArrays, AfterMoves) {
    expect_freed([&](DRI_Array array, const Numbers &) {
        Array turned;
        const int order[]{1, 0};
        expect_success(DRI_array_permute(array, order, turned.out()), "DRI_array_permute");
    });
}

} // namespace
} // namespace dri::test
