// The plain words of a case line (tests/README.md) as values: "8B [97,64] block(4),* 01 -> *,block(7) 10".
//
// This file does not use the library, so programs on either side of its interface can include it. case_line.cpp
// needs internal headers, and links only what the parser calls: some of module base, and the element types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dri::test {

struct CaseRule {
    enum class Kind { whole, block, cyclic, sizes };
    enum class Remainder { balanced, last, ceil, proportional };

    Kind kind = Kind::whole;
    Remainder remainder = Remainder::balanced; // block
    int64_t parts = 0;                         // block and cyclic; 0: the library chooses
    int64_t block = 0;                         // cyclic: elements per block
    std::vector<int64_t> sizes;                // the size of each part

    bool operator==(const CaseRule &) const = default;
};

struct CaseSide {
    std::vector<CaseRule> rules; // one per dimension
    std::vector<int> order;      // dimensions, slowest first

    bool operator==(const CaseSide &) const = default;
};

struct CaseLine {
    int64_t element_bytes = 0;
    std::vector<int64_t> sizes;
    CaseSide source, sink;

    bool operator==(const CaseLine &) const = default;
};

// Throws std::invalid_argument. Its message shows the line, the position and what was expected there.
CaseLine parse_case_line(std::string_view line);

// The shortest line that parses to the same case.
std::string print_case_line(const CaseLine &c);

} // namespace dri::test
