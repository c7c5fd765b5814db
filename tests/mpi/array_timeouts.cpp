// What goes on after a timeout, and what is refused meanwhile: process 0 calls alone, and the others come late.
#include "support/arrays.hpp"
#include "support/dist_kinds.hpp"
#include "support/library.hpp"

#include <dri/stream.h>

#include <functional>
#include <numeric>

namespace dri::test {
namespace {

class ArrayTimeouts : public testing::Test {
protected:
    const int64_t n_ = 4 * world().size;
    const Array a_ = made(), b_ = made();

    void SetUp() override {
        if (world().size == 1)
            GTEST_SKIP() << "nobody comes late";
    }
    Array made() const {
        Array array = shape_array({n_}, make_world());
        fill_flat(array, {n_}, [](int64_t i) { return static_cast<double>(i); });
        expect_success(DRI_array_set_attr(array, DRI_ARRAY_TIMEOUT_MS, 100), "DRI_array_set_attr");
        return array;
    }
    static bool is_first() { return world().rank == 0; }
    static void repeat(const std::function<int()> &call) {
        int code = DRI_ERR_TIMEOUT;
        while (code == DRI_ERR_TIMEOUT)
            code = call();
        EXPECT_EQ(code, DRI_SUCCESS) << DRI_error_message();
    }
    static Values counting(int64_t from, int64_t to) {
        Values made(static_cast<size_t>(to - from));
        std::iota(made.begin(), made.end(), static_cast<double>(from));
        return made;
    }
};

TEST_F(ArrayTimeouts, AGatherGoesOnWithItsOwnMemory) {
    Values first(static_cast<size_t>(n_), -1), other = first;
    const auto gather = [&](Values &to) { return DRI_array_gather(a_, nullptr, 0, to.data()); };
    repeat([&] { return gather(other); });
    std::fill(other.begin(), other.end(), -1);
    barrier();
    if (is_first()) {
        EXPECT_EQ(gather(first), DRI_ERR_TIMEOUT);
        EXPECT_EQ(gather(other), DRI_ERR_STATE);
        EXPECT_NE(std::string(DRI_error_message()).find("its own memory"), std::string::npos)
            << DRI_error_message();
    }
    barrier();
    repeat([&] { return gather(first); });
    if (is_first()) {
        EXPECT_EQ(first, counting(0, n_));
        EXPECT_EQ(other, Values(other.size(), -1));
    }
}

// Process 0 asks for another target than in its call that has timed out, the others for the same.
TEST_F(ArrayTimeouts, ARepartitionIsOfItsOwnTarget) {
    const auto held = [&](int64_t more) {
        const int64_t begin = 4 * world().rank, rows = is_first() ? 4 + more : 4;
        const DRI_Box box{{begin}, {rows}};
        Array piece;
        repeat([&] { return DRI_array_repartition(a_, &box, piece.out()); });
        Values found;
        for (const DRI_View &part : parts_of(piece))
            for (const double one : elements_of(part))
                found.push_back(one);
        EXPECT_EQ(found, counting(begin, begin + rows)) << more;
    };
    held(1);
    held(2);
    barrier();
    if (is_first()) {
        const DRI_Box box{{0}, {5}};
        Array piece;
        EXPECT_EQ(DRI_array_repartition(a_, &box, piece.out()), DRI_ERR_TIMEOUT);
    }
    barrier();
    if (!is_first())
        held(1);
    held(2);
    held(1);
}

} // namespace
} // namespace dri::test
