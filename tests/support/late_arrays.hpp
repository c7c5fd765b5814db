// Arrays of tests in which process 0 calls alone, and the others come late.
#pragma once

#include "support/arrays.hpp"
#include "support/dist_kinds.hpp"

#include <cstdlib>
#include <functional>
#include <numeric>

namespace dri::test {

inline bool compares_calls() {
    const char *const check = std::getenv("DRI_CHECK");
    return check && std::string(check) == "1";
}

// The sum of a box, as the kernel of a reduction.
inline int add_all(void *, int, const int64_t sizes[], void *const data[], const int64_t *const steps[]) {
    double sum = 0;
    for (int64_t i = 0; i < sizes[0]; ++i)
        sum += *reinterpret_cast<double *>(static_cast<char *>(data[1]) + i * steps[1][0]);
    *static_cast<double *>(data[0]) = sum;
    return DRI_SUCCESS;
}

inline void expect_another(int code) {
    EXPECT_EQ(code, DRI_ERR_STATE);
    EXPECT_NE(std::string(DRI_error_message()).find("another"), std::string::npos) << DRI_error_message();
}

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

} // namespace dri::test
