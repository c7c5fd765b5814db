// Base of tests of collective calls in which only the last process makes a mistake.
#pragma once

#include "support/objects.hpp"
#include "support/world.hpp"

#include <gtest/gtest.h>

#include <string>

namespace dri::test {

class LastErrs : public testing::Test {
protected:
    int rank_ = world().rank, size_ = world().size;
    bool last_ = rank_ == size_ - 1;
    std::string who_ = std::to_string(size_ - 1); // the process that makes the mistake
    Group world_ = make_world();
};

} // namespace dri::test
