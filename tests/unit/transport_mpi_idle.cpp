// What Open MPI's launcher says in the environment about yielding.
#include "transport/mpi_idle.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

using dri::transport::mpi_yields_when_idle;

namespace {

// Sets a variable, or removes it, until the end of the block.
class Variable {
public:
    Variable(const char *name, const char *value) : name_(name) {
        if (const char *before = std::getenv(name))
            before_ = before;
        set(value);
    }
    Variable(const Variable &) = delete;
    Variable &operator=(const Variable &) = delete;
    ~Variable() { set(before_ ? before_->c_str() : nullptr); }

private:
    void set(const char *value) const {
        if (value)
            setenv(name_, value, 1);
        else
            unsetenv(name_);
    }
    const char *name_;
    std::optional<std::string> before_;
};

bool yields(const char *chosen, const char *crowded) {
    const Variable a("OMPI_MCA_mpi_yield_when_idle", chosen), b("OMPI_MCA_mpi_oversubscribe", crowded);
    return mpi_yields_when_idle();
}

TEST(MpiIdle, YieldsOnCrowdedNodes) {
    EXPECT_FALSE(yields(nullptr, nullptr));
    EXPECT_FALSE(yields(nullptr, "0"));
    EXPECT_TRUE(yields(nullptr, "1"));
}

TEST(MpiIdle, FollowsTheChoiceOfTheUserFirst) {
    EXPECT_TRUE(yields("1", "0"));
    EXPECT_TRUE(yields("true", nullptr));
    EXPECT_FALSE(yields("0", "1"));
    EXPECT_FALSE(yields("false", "1"));
}

} // namespace
