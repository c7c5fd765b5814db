#include "case_line.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace dri::test {

namespace {

using Kind = CaseRule::Kind;
using Remainder = CaseRule::Remainder;

constexpr size_t max_dims = 8;

struct RemainderName {
    Remainder remainder;
    std::string_view name;
};
constexpr RemainderName remainder_names[] = {
    {Remainder::last, "last"}, {Remainder::ceil, "ceil"}, {Remainder::proportional, "prop"}};

class Parser {
public:
    explicit Parser(std::string_view line) : line_(line) {}

    CaseLine parse() {
        CaseLine c;
        skip_spaces();
        c.element_bytes = number(1, "the bytes of an element, such as 8B");
        expect("B");
        c.sizes = sizes_of_array();
        check_bytes(c);
        c.source = side(c.sizes);
        skip_spaces();
        expect("->");
        c.sink = side(c.sizes);
        skip_spaces();
        if (at_ != line_.size())
            wrong("the end of the line");
        return c;
    }

private:
    [[noreturn]] void wrong(const std::string &expected) const {
        throw std::invalid_argument("case line \"" + std::string(line_) + "\": expected " + expected +
                                    " at column " + std::to_string(at_ + 1) + ", found " +
                                    (at_ < line_.size() ? "\"" + std::string(line_.substr(at_, 12)) + "\""
                                                        : std::string("the end of the line")));
    }

    void skip_spaces() {
        while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t'))
            ++at_;
    }

    bool accept(std::string_view token) {
        if (!line_.substr(at_).starts_with(token))
            return false;
        at_ += token.size();
        return true;
    }

    void expect(std::string_view token) {
        if (!accept(token))
            wrong("\"" + std::string(token) + "\"");
    }

    int64_t number(int64_t min, const std::string &what) {
        int64_t value = 0;
        const char *begin = line_.data() + at_;
        const auto [end, error] = std::from_chars(begin, line_.data() + line_.size(), value);
        if (error != std::errc() || value < min)
            wrong(what);
        at_ += static_cast<size_t>(end - begin);
        return value;
    }

    std::vector<int64_t> sizes_of_array() {
        std::vector<int64_t> sizes;
        skip_spaces();
        expect("[");
        if (accept("]"))
            return sizes;
        do {
            if (sizes.size() == max_dims)
                wrong("at most 8 dimensions");
            sizes.push_back(number(0, "a size"));
        } while (accept(","));
        expect("]");
        return sizes;
    }

    void check_bytes(const CaseLine &c) const {
        int64_t bytes = c.element_bytes;
        for (const int64_t size : c.sizes) {
            if (size > 0 && bytes > std::numeric_limits<int64_t>::max() / size)
                wrong("an array of fewer than 2^63 bytes before this place");
            bytes *= std::max<int64_t>(size, 1);
        }
    }

    CaseSide side(const std::vector<int64_t> &sizes) {
        CaseSide s;
        skip_spaces();
        if (sizes.empty())
            expect("-");
        for (size_t dim = 0; dim < sizes.size(); ++dim) {
            if (dim > 0)
                expect(",");
            s.rules.push_back(rule(sizes[dim]));
        }
        skip_spaces();
        s.order = order(sizes.size());
        return s;
    }

    CaseRule rule(int64_t size) {
        CaseRule r;
        if (accept("*"))
            return r;
        if (accept("block")) {
            r.kind = Kind::block;
            if (accept("("))
                block_arguments(r);
        } else if (accept("cyclic(")) {
            r.kind = Kind::cyclic;
            r.parts = parts();
            expect(",");
            r.block = number(1, "a block size");
            expect(")");
        } else if (accept("sizes(")) {
            r.kind = Kind::sizes;
            size_arguments(r, size);
        } else {
            wrong("a rule (*, block, cyclic or sizes) for every dimension");
        }
        return r;
    }

    int64_t parts() {
        const int64_t n = number(0, "a number of parts");
        if (n > std::numeric_limits<int>::max())
            wrong("a number of parts below 2^31 before this place");
        return n;
    }

    void block_arguments(CaseRule &r) {
        r.parts = parts();
        if (accept(",")) {
            const auto *named = std::find_if(std::begin(remainder_names), std::end(remainder_names),
                                             [&](const RemainderName &n) { return accept(n.name); });
            if (named == std::end(remainder_names))
                wrong("last, ceil or prop");
            r.remainder = named->remainder;
        }
        expect(")");
    }

    void size_arguments(CaseRule &r, int64_t size) {
        do
            r.sizes.push_back(number(0, "the size of a part"));
        while (accept(":"));
        int64_t rest = size;
        for (const int64_t s : r.sizes)
            rest = s <= rest ? rest - s : -1;
        if (rest != 0)
            wrong("sizes that add up to " + std::to_string(size) + " before this place");
        expect(")");
    }

    std::vector<int> order(size_t ndims) {
        std::vector<int> dims(ndims);
        std::iota(dims.begin(), dims.end(), 0);
        if (accept("rm") || (ndims == 0 && accept("-")))
            return dims;
        if (accept("cm")) {
            std::reverse(dims.begin(), dims.end());
            return dims;
        }
        std::vector<int> digits;
        const auto is_dim = [&] {
            return at_ < line_.size() && line_[at_] >= '0' && line_[at_] < static_cast<char>('0' + ndims);
        };
        while (digits.size() < ndims && is_dim() &&
               std::find(digits.begin(), digits.end(), line_[at_] - '0') == digits.end())
            digits.push_back(line_[at_++] - '0');
        if (digits.size() < ndims)
            wrong("the order in memory: each of the " + std::to_string(ndims) +
                  " dimensions once, counted from 0, slowest first");
        return digits;
    }

    std::string_view line_;
    size_t at_ = 0;
};

std::string joined(const std::vector<int64_t> &values, char separator) {
    std::string text;
    for (const int64_t value : values)
        text += (text.empty() ? "" : std::string(1, separator)) + std::to_string(value);
    return text;
}

std::string print(const CaseRule &r) {
    switch (r.kind) {
    case Kind::whole: return "*";
    case Kind::cyclic: return "cyclic(" + std::to_string(r.parts) + "," + std::to_string(r.block) + ")";
    case Kind::sizes: return "sizes(" + joined(r.sizes, ':') + ")";
    case Kind::block: break;
    }
    if (r.parts == 0 && r.remainder == Remainder::balanced)
        return "block";
    std::string text = "block(" + std::to_string(r.parts);
    for (const RemainderName &n : remainder_names)
        if (n.remainder == r.remainder)
            text += "," + std::string(n.name);
    return text + ")";
}

std::string print(const CaseSide &side) {
    if (side.rules.empty())
        return "- -";
    std::string text;
    for (const CaseRule &r : side.rules)
        text += (text.empty() ? "" : ",") + print(r);
    text += " ";
    for (const int dim : side.order)
        text += std::to_string(dim);
    return text;
}

} // namespace

CaseLine parse_case_line(std::string_view line) { return Parser(line).parse(); }

std::string print_case_line(const CaseLine &c) {
    return std::to_string(c.element_bytes) + "B [" + joined(c.sizes, ',') + "] " + print(c.source) + " -> " +
           print(c.sink);
}

} // namespace dri::test
