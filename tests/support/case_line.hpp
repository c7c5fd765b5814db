// A whole case as one line of text: "8B [97,64] block(4),* 01 -> *,block(7) 10".
//
//   8B          bytes of an element
//   [97,64]     sizes of the array, slowest dimension first; [] for an array without dimensions
//   then for the source, "->", and for the sink:
//   block(4),*  one rule per dimension: * (whole), block, block(P), block(P,ceil|last|prop),
//               cyclic(P,B) with blocks of B elements, sizes(a:b:c); with P = 0, and with block alone, the
//               library chooses the number of parts; - for an array without dimensions
//   01          order in memory, slowest dimension first; rm (row-major) and cm (column-major) are allowed, too
//
// This file does not use the library, so programs on either side of its interface can include it.
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
