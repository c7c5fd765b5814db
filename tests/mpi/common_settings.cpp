// Settings of the environment that all processes follow alike, whichever of them has the variable.
#include "support/arrays.hpp"

#include <dri/array.h>
#include <dri/dri_mpi.h>

#include <cstdlib>
#include <string>
#include <tuple>

namespace dri::test {
namespace {

// What one process wants, all do: they would wait for each other otherwise.
TEST(CommonSettings, AreThoseOfAnyProcess) {
    const auto [rank, size] = world();
    const auto path = [] {
        const Domain to = make_domain(make_map({block_dim(0, 12)}, make_world()), {{0, 1, 12}});
        const Array dst = make_array(to), src = make_array(to);
        DRI_Assigned info{};
        EXPECT_EQ(DRI_assign(dst, nullptr, src, nullptr, &info), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(DRI_assign(dst, nullptr, src, nullptr, &info), DRI_SUCCESS) << DRI_error_message();
        return info.path;
    };
    for (const auto &[name, value, wanted] :
         {std::tuple("DRI_BULK", "off", DRI_ASSIGN_ELEMENT), std::tuple("DRI_CHECK", "1", DRI_ASSIGN_KNOWN)}) {
        if (rank == size - 1)
            setenv(name, value, 1);
        ASSERT_EQ(DRI_init_comm(MPI_COMM_WORLD), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(path(), wanted) << name;
        EXPECT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
        unsetenv(name);
        ASSERT_EQ(DRI_init_comm(MPI_COMM_WORLD), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(path(), DRI_ASSIGN_KNOWN) << "without " << name;
        EXPECT_EQ(DRI_finalize(), DRI_SUCCESS) << DRI_error_message();
        setenv(name, "perhaps", 1);
        EXPECT_EQ(DRI_init_comm(MPI_COMM_WORLD), DRI_ERR_ARG);
        EXPECT_NE(std::string(DRI_error_message()).find(name), std::string::npos) << DRI_error_message();
        unsetenv(name);
    }
}

} // namespace
} // namespace dri::test
