// Runs the plans of all processes of a case in this process and judges what they did.
#pragma once

#include "random_case.hpp"

#include <functional>
#include <string>

namespace dri::test {

using Copier = std::function<void(const StridedCopy &, const std::byte *src, std::byte *dst)>;

// Byte by byte, or number by number, as a StridedCopy is defined.
void copy_plainly(const StridedCopy &copy, const std::byte *src, std::byte *dst);

// Plans, checks the plans, runs them and checks every byte of every buffer. Empty if all is well, else what
// is wrong.
std::string find_fault(const TransferCase &c, const Copier &copier = copy_plainly);

// The same with plans made elsewhere, one for each rank.
std::string find_fault_of(const TransferCase &c, std::vector<Plan> plans);

// Differences between two plans; empty if there are none.
std::string find_difference(const Plan &a, const Plan &b);

} // namespace dri::test
