// Temporaries of loops: statements that read their target where they do not write it.
#include "support/arrays.hpp"
#include "support/dist_kinds.hpp"
#include "support/library.hpp"
#include "support/sanitizer.hpp"

#include <fstream>
#include <functional>
#include <numeric>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace dri::test {
namespace {

// target = read - number, and where the target of each box lies.
struct Less {
    double number = 0;
    std::vector<const std::byte *> targets{};
    static int run(void *context, int ndims, const int64_t sizes[], void *const data[],
                   const int64_t *const steps[]) {
        auto &self = *static_cast<Less *>(context);
        self.targets.push_back(static_cast<const std::byte *>(data[0]));
        const int64_t columns = ndims > 1 ? sizes[1] : 1;
        for (int64_t i = 0; i < sizes[0]; ++i)
            for (int64_t k = 0; k < columns; ++k) {
                const auto at = [&](int operand) {
                    return static_cast<std::byte *>(data[operand]) + i * steps[operand][0] +
                           (ndims > 1 ? k * steps[operand][1] : 0);
                };
                *reinterpret_cast<double *>(at(0)) = *reinterpret_cast<const double *>(at(1)) - self.number;
            }
        return DRI_SUCCESS;
    }
};

std::string explained(DRI_Loop loop) {
    std::string text(4096, 0);
    expect_success(DRI_loop_explain(loop, text.data(), text.size()), "DRI_loop_explain");
    return text.substr(0, text.find('\0'));
}

// Arrays whose elements are their flat index, cut in several ways.
struct Cut {
    const char *name;
    std::vector<MapDim> (*rules)(int64_t n, int64_t m);
};
MapDim with_overlap(MapDim rule) {
    rule.left = rule.right = 2;
    return rule;
}
const Cut cuts[]{
    {"rows",
     [](int64_t n, int64_t) {
         return std::vector{block_dim(0, n), MapDim{}};
     }},
    {"columns",
     [](int64_t, int64_t m) {
         return std::vector{MapDim{}, block_dim(0, m)};
     }},
    {"overlap",
     [](int64_t n, int64_t) {
         return std::vector{with_overlap(block_dim(0, n)), MapDim{}};
     }},
};

class ArrayTemporaries : public testing::TestWithParam<Cut> {
protected:
    const int64_t n_ = 5 * world().size + 1, m_ = 3 * world().size + 2;
    const Domain domain_ = make_domain(make_map(GetParam().rules(n_, m_), make_world()), {{0, 1, n_}, {0, 1, m_}});
    const Array a_ = make_array(domain_);

    void SetUp() override {
        fill(a_, domain_, [this](const Indices &i) { return flat(i[0], i[1]); });
    }
    double flat(int64_t i, int64_t k) const { return static_cast<double>(i * m_ + k); }
    Loop loop(const Ranges &target, const Ranges &read) const {
        const DRI_Operand to = operand_of(a_, target), from = operand_of(a_, read);
        Loop made;
        expect_success(DRI_loop_create(&to, 1, &from, made.out()), "DRI_loop_create");
        return made;
    }
    // How many of the elements are this process's own.
    int64_t own(const Ranges &slice) const {
        int64_t count = 0;
        for (const Indices &index : tuples_of(ranges_of(domain_)))
            if (is_own(domain_, index) && index[0] >= slice[0].first && index[1] >= slice[1].first &&
                index[0] < slice[0].first + slice[0].size && index[1] < slice[1].first + slice[1].size)
                ++count;
        return count;
    }
    bool lies_in_the_array(const std::byte *address) const {
        const DRI_View *view = nullptr;
        expect_success(DRI_array_view(a_, 0, &view), "DRI_array_view");
        const auto *const first = static_cast<const std::byte *>(view->data);
        int64_t last = 0;
        for (int d = 0; d < 2; ++d) {
            if (view->range[d].size == 0)
                return false;
            last += (view->range[d].size - 1) * view->step[d];
        }
        return address >= first && address <= first + last * 8;
    }
};

// a[d:, e:] = a[:-d, :-e] - 1, and the other way round, as if the right side was read before.
TEST_P(ArrayTemporaries, TheRightSideIsReadBefore) {
    for (const auto &[d, e] : {std::pair<int64_t, int64_t>{1, 0}, {0, 1}, {2, 2}})
        for (const bool is_up : {false, true}) {
            SetUp();
            const Ranges low{{0, 1, n_ - d}, {0, 1, m_ - e}}, high{{d, 1, n_ - d}, {e, 1, m_ - e}};
            const Ranges &target = is_up ? low : high, &read = is_up ? high : low;
            const Loop made = loop(target, read);
            const int64_t bytes = own(target) * 8;
            const std::string text = explained(made), wanted = "temporary of " + std::to_string(bytes) + " bytes";
            EXPECT_EQ(text.find(wanted) != std::string::npos, bytes > 0) << text;
            Less less{1};
            expect_success(DRI_loop_run(made, Less::run, &less), "DRI_loop_run");
            EXPECT_EQ(less.targets.empty(), bytes == 0);
            for (const std::byte *address : less.targets)
                EXPECT_FALSE(lies_in_the_array(address)) << "it must not be written while others read it";
            EXPECT_EQ(difference(a_, domain_,
                                 [&](const Indices &i) {
                                     const Ranges &t = target;
                                     const bool is_written = i[0] >= t[0].first && i[1] >= t[1].first &&
                                                             i[0] < t[0].first + t[0].size &&
                                                             i[1] < t[1].first + t[1].size;
                                     return is_written ? flat(i[0] + read[0].first - t[0].first,
                                                              i[1] + read[1].first - t[1].first) -
                                                             1
                                                       : flat(i[0], i[1]);
                                 }),
                      "")
                << d << " " << e << " " << is_up;
        }
}

// A second run has its own.
TEST_P(ArrayTemporaries, ServeRunAfterRun) {
    const Ranges target{{1, 1, n_ - 1}, {0, 1, m_}}, read{{0, 1, n_ - 1}, {0, 1, m_}};
    const Loop made = loop(target, read);
    constexpr int64_t turns = 3;
    for (int64_t turn = 0; turn < turns; ++turn) {
        Less less{1};
        expect_success(DRI_loop_run(made, Less::run, &less), "DRI_loop_run");
        // A process may run ahead, and write what another one reads in this turn.
    }
    EXPECT_EQ(difference(a_, domain_,
                         [&](const Indices &i) {
                             const int64_t steps = std::min(i[0], turns);
                             return flat(i[0] - steps, i[1]) - static_cast<double>(steps);
                         }),
              "");
}

TEST_P(ArrayTemporaries, ThereIsNoneWhereElementsAreReadAtTheirPlace) {
    const Ranges some{{1, 1, n_ - 1}, {1, 1, m_ - 1}};
    const Loop made = loop(some, some);
    EXPECT_EQ(explained(made).find("temporary"), std::string::npos) << explained(made);
    Less less{1};
    expect_success(DRI_loop_run(made, Less::run, &less), "DRI_loop_run");
    for (const std::byte *address : less.targets)
        EXPECT_TRUE(lies_in_the_array(address));
}

INSTANTIATE_TEST_SUITE_P(Of, ArrayTemporaries, testing::ValuesIn(cuts),
                         [](const auto &of) { return std::string(of.param.name); });

// Arrays over memory of the caller's, which is also that of another operand, `shift` elements before.
class OneMemory : public testing::TestWithParam<int64_t> {
protected:
    static constexpr int64_t n_ = 70001; // of each process
    const int64_t all_ = n_ * world().size, first_ = n_ * world().rank;
    const Domain domain_ = make_domain(make_map({block_dim(0, all_)}, make_world()), {{0, 1, all_}});
    std::vector<double> memory_ = std::vector<double>(static_cast<size_t>(all_ + 100));

    void SetUp() override { std::iota(memory_.begin(), memory_.end(), 0.0); }
    Array array_at(int64_t first) {
        Array made;
        expect_success(DRI_array_create(domain_, DRI_DOUBLE, memory_.data() + first, made.out()),
                       "DRI_array_create");
        return made;
    }
    // target = read + read, as if all had been read before.
    void add(const DRI_Operand &to, const DRI_Operand &from, bool is_apart) {
        const DRI_Operand reads[]{from, from};
        Loop loop;
        expect_success(DRI_loop_create(&to, 2, reads, loop.out()), "DRI_loop_create");
        DRI_Kernel kernel = nullptr;
        void *context = nullptr;
        expect_success(DRI_loop_kernel(DRI_OP_ADD, DRI_DOUBLE, &kernel, &context, nullptr), "DRI_loop_kernel");
        const std::vector<double> before = memory_;
        expect_success(DRI_loop_run(loop, kernel, context), "DRI_loop_run");
        EXPECT_EQ(explained(loop).find("temporary") != std::string::npos, is_apart) << explained(loop);
        const auto target = static_cast<size_t>(first_ + GetParam()), read = static_cast<size_t>(first_);
        std::vector<double> wanted = before;
        for (size_t i = 0; i < static_cast<size_t>(n_); ++i)
            wanted[target + i] = 2 * before[read + i];
        EXPECT_EQ(memory_, wanted);
    }
};

TEST_P(OneMemory, OfTwoArrays) {
    const Array to = array_at(first_ + GetParam()), from = array_at(first_);
    const Ranges whole{{0, 1, all_}};
    add(operand_of(to, whole), operand_of(from, whole), GetParam() != 0);
    add(operand_of(to, whole), operand_of(from, whole), GetParam() != 0);
}

TEST_P(OneMemory, OfAnArrayAndPlainMemory) {
    const Array to = array_at(first_ + GetParam());
    DRI_Operand from{};
    from.data = memory_.data();
    from.slice[0] = {0, 1, all_};
    from.steps[0] = 8;
    add(operand_of(to, {{0, 1, all_}}), from, GetParam() != 0);
}

INSTANTIATE_TEST_SUITE_P(Shifted, OneMemory, testing::Values(0, 1, 3, 64));

int64_t resident_pages() {
    int64_t all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident;
}

// The plan serves array after array, and keeps the temporary no longer than they live.
TEST(Temporaries, GoWithTheirArrays) {
    constexpr int64_t rows = 512, columns = 1024, bytes = rows * columns * 8;
    const Numbers shape{rows * world().size, columns};
    const auto shifted = [&](int64_t by) {
        const Array a = shape_array(shape, make_world());
        const DRI_View own = parts_of(a)[1];
        auto *const values = static_cast<double *>(own.data);
        for (int64_t i = 0; i < own.range[0].size; ++i)
            for (int64_t k = 0; k < columns; ++k)
                values[i * own.step[0] + k * own.step[1]] =
                    static_cast<double>((own.range[0].first + i) * columns + k);
        const DRI_Operand to = operand_of(a, {{0, 1, shape[0] - by}, {0, 1, columns}}),
                          from = operand_of(a, {{by, 1, shape[0] - by}, {0, 1, columns}});
        Loop loop;
        expect_success(DRI_loop_create(&to, 1, &from, loop.out()), "DRI_loop_create");
        Less less{0};
        expect_success(DRI_loop_run(loop, Less::run, &less), "DRI_loop_run");
        EXPECT_EQ(*values, static_cast<double>((rows * world().rank + by) * columns));
    };
    constexpr int64_t turns = 12;
    shifted(1);
    const int64_t before = resident_pages();
    for (int64_t turn = 0; turn < turns; ++turn)
        shifted(2 + turn);
    if (!sanitized) { // a sanitizer keeps freed memory for some time
        EXPECT_LT((resident_pages() - before) * 4096, turns * bytes / 2) << "one plan for each shift is kept";
    }
}

// No further memory than this process has, as long as it exists.
class MemoryLimit {
public:
    MemoryLimit() {
        getrlimit(RLIMIT_AS, &before_);
        std::ifstream pages("/proc/self/statm");
        uint64_t count = 0;
        pages >> count;
        rlimit now = before_;
        now.rlim_cur = count * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + (4U << 20);
        setrlimit(RLIMIT_AS, &now);
    }
    ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }
    MemoryLimit(const MemoryLimit &) = delete;
    MemoryLimit &operator=(const MemoryLimit &) = delete;

private:
    rlimit before_{};
};

// Operands lie in each other on process 0 alone, which has no memory for the temporary. The others get its
// elements all the same, and all still have the plan.
TEST(ArrayTemporary, OfOneProcessThatHasNoMemory) {
    if (sanitized)
        GTEST_SKIP() << "sanitizers need address space of their own";
    constexpr int64_t own = int64_t{4} << 20, shift = 64;
    const bool is_first = world().rank == 0;
    const int64_t n = own * world().size, begin = own * world().rank;
    Values memory(static_cast<size_t>(is_first ? own + 1 : own)), apart(is_first ? 0 : own);
    std::iota(memory.begin(), memory.end(), static_cast<double>(begin));
    double *const to = is_first ? memory.data() + 1 : apart.data();
    const Domain domain = make_domain(make_map({block_dim(0, n)}, make_world()), {{0, 1, n}});
    Array target, read;
    expect_success(DRI_array_create(domain, DRI_DOUBLE, to, target.out()), "DRI_array_create");
    expect_success(DRI_array_create(domain, DRI_DOUBLE, memory.data(), read.out()), "DRI_array_create");
    const DRI_Operand into = operand_of(target, {{0, 1, n - shift}}),
                      from = operand_of(read, {{shift, 1, n - shift}});
    DRI_Kernel kernel = nullptr;
    void *copy = nullptr;
    expect_success(DRI_loop_kernel(DRI_OP_COPY, DRI_DOUBLE, &kernel, &copy, nullptr), "DRI_loop_kernel");
    Loop loop;
    expect_success(DRI_loop_create(&into, 1, &from, loop.out()), "DRI_loop_create");
    {
        const MemoryLimit limit;
        EXPECT_EQ(DRI_loop_run(loop, kernel, copy), is_first ? DRI_ERR_MEMORY : DRI_SUCCESS)
            << DRI_error_message();
    }
    const int64_t computed = std::min(own, n - shift - begin);
    const auto count_wrong = [&] {
        int64_t wrong = 0;
        for (int64_t i = 0; i < computed; ++i)
            wrong += to[i] != static_cast<double>(begin + i + shift);
        return wrong;
    };
    if (!is_first) {
        EXPECT_EQ(count_wrong(), 0);
    }
    expect_success(DRI_loop_run(loop, kernel, copy), "DRI_loop_run, with memory");
    EXPECT_EQ(count_wrong(), 0);
}

} // namespace
} // namespace dri::test
