#include "case_line.hpp"

#include "random_case.hpp"

#include <algorithm>
#include <numeric>

namespace dri::test {

namespace {

using Kind = CaseRule::Kind;
using Remainder = CaseRule::Remainder;

struct RemainderName {
    Remainder remainder;
    std::string_view name;
};
constexpr RemainderName remainder_names[] = {
    {Remainder::last, "last"}, {Remainder::ceil, "ceil"}, {Remainder::proportional, "prop"}};

CaseRule rule_of(const model::CutRule &from) {
    CaseRule r;
    switch (from.kind) {
    case model::CutKind::block: r.kind = Kind::block; break;
    case model::CutKind::block_cyclic: r.kind = Kind::cyclic; break;
    case model::CutKind::sizes: r.kind = Kind::sizes; break;
    default: break;
    }
    switch (from.remainder) {
    case model::Remainder::balanced: break;
    case model::Remainder::balanced_last: r.remainder = Remainder::last; break;
    case model::Remainder::ceil: r.remainder = Remainder::ceil; break;
    case model::Remainder::proportional: r.remainder = Remainder::proportional; break;
    }
    r.parts = r.kind == Kind::sizes ? 0 : from.nparts;
    r.block = from.block;
    r.sizes = from.sizes;
    return r;
}

CaseSide side_of(const SideSpec &from) {
    CaseSide side;
    for (const model::CutRule &rule : from.rules)
        side.rules.push_back(rule_of(rule));
    const model::Layout &layout = from.layouts[0];
    side.order.assign(layout.order.begin(), layout.order.end());
    if (layout.kind != model::LayoutKind::packed) {
        side.order.resize(from.sizes.size());
        std::iota(side.order.begin(), side.order.end(), 0);
        if (layout.kind == model::LayoutKind::col_major)
            std::reverse(side.order.begin(), side.order.end());
    }
    return side;
}

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

CaseLine parse_case_line(std::string_view line) {
    const TransferCase c = parse_case(line, CaseWords::plain, 0);
    return {c.type.size, {c.root.begin(), c.root.end()}, side_of(c.source), side_of(c.sink)};
}

std::string print_case_line(const CaseLine &c) {
    return std::to_string(c.element_bytes) + "B [" + joined(c.sizes, ',') + "] " + print(c.source) + " -> " +
           print(c.sink);
}

} // namespace dri::test
