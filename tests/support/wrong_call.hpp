// Tables of wrong calls. A row has the mistake, the call, the expected code and fragments of the expected message.
#pragma once

#include "support/objects.hpp"

#include <dri/dri.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace dri::test {

inline constexpr int64_t largest = std::numeric_limits<int64_t>::max();

struct WrongCall {
    const char *what;
    std::function<int()> call;
    int code;
    std::vector<std::string> message; // fragments
};

using WrongCalls = std::vector<WrongCall>;

// Makes each call on every process of the world. The code and the fragments must be right on all of them.
void expect_refused(const WrongCalls &table);
// The same for collective calls. After each row a small transfer must work.
void expect_refused_by_all(const WrongCalls &table);

void note_output_not_nulled();

// A row's call that makes a Handle: call(Handle *) -> int. The output must be null after the error.
template <class Handle, class Call> std::function<int()> makes(Call call) {
    return [call] {
        Handle handle{UINT64_MAX - 1};
        const int code = call(&handle);
        if (handle.id != 0)
            note_output_not_nulled();
        return code;
    };
}

// A call that makes a partition of two dimensions, the second one with this rule.
inline std::function<int()> rule_of(const DRI_Part_dim &dim) {
    return makes<DRI_Part>([=](DRI_Part *out) {
        const DRI_Part_dim dims[2]{{}, dim};
        return DRI_part_create_rule(2, dims, out);
    });
}
inline std::function<int()> rule(const Rule &dim) { return rule_of(dim); }

// A call that destroys a copy of a handle.
template <class Handle> std::function<int()> destroys(Handle handle, int (*destroy)(Handle *)) {
    return [=] {
        Handle copy = handle;
        return destroy(&copy);
    };
}

// The handle of a destroyed object.
template <class Handle> Handle stale(Handle handle, int (*destroy)(Handle *)) {
    const Handle copy = handle;
    EXPECT_EQ(destroy(&handle), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(handle.id, 0u) << "a destroyed handle becomes null";
    return copy;
}

// A handle of one kind with the id of a handle of another kind.
template <class Handle, class Other> Handle as(Other other) { return Handle{other.id}; }

} // namespace dri::test
