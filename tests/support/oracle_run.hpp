// Runs the plans of all processes of a case within this process, and checks the results.
#pragma once

#include "random_case.hpp"

#include <functional>
#include <string>

namespace dri::test {

using Copier = std::function<void(const plan::StridedCopy &, const std::byte *src, std::byte *dst)>;

// Copies byte by byte, or number by number, as a StridedCopy is defined.
void copy_plainly(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst);

// Makes the plans, checks them, runs them and checks every byte of every buffer. Returns "" if all is correct,
// otherwise what is wrong.
std::string find_fault(const TransferCase &c, const Copier &copier = copy_plainly);

// The same with given plans, one for each rank.
std::string find_fault_of(const TransferCase &c, std::vector<plan::Plan> plans);

} // namespace dri::test
