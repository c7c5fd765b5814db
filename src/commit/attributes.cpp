// What follows from the table of attributes: ranges, wire form, and the combination of the values of several
// endpoints.
#include "commit/attributes.hpp"

#include <algorithm>

namespace dri::commit {

const char *role_name(Role role) { return role == Role::source ? "source" : "sink"; }

const AttributeRow &row_of(int id) {
    const auto *row = std::find_if(attribute_table.begin(), attribute_table.end(),
                                   [&](const AttributeRow &r) { return static_cast<int>(r.id) == id; });
    if (row == attribute_table.end())
        fail(DRI_ERR_ARG, "attribute {} is unknown", id);
    return *row;
}

void check_value(const AttributeRow &row, int64_t value, size_t ndims) {
    const int64_t max = row.id == DRI_ATTR_REBASE ? (int64_t{1} << ndims) - 1 : row.max;
    if (value < row.min || value > max)
        fail(DRI_ERR_ARG, "{} is {}, but must be {} to {}", row.name, value, row.min, max);
    // Only messages connect any two processes. Without them, the placement on nodes would decide what works.
    if (row.id == DRI_ATTR_WAYS && !(value & way_message))
        fail(DRI_ERR_ARG, "{} is {}, but must include DRI_WAY_MESSAGE: messages cannot be switched off", row.name,
             value);
}

namespace {

// In the wire form a bit for each row, and one for the scale, says whether a value follows.
static_assert(attribute_table.size() < 32);
constexpr uint32_t bit_of_scale = uint32_t{1} << attribute_table.size();

// Calls f for each attribute that is sent, with its bit.
template <class F> void for_each_sent(const F &f) {
    uint32_t bit = 1;
    for (const AttributeRow &row : attribute_table) {
        if (row.scope != Scope::own)
            f(row, bit);
        bit <<= 1;
    }
}

} // namespace

// Almost all endpoints leave almost all attributes as they are, and each is sent to several processes.
void put(Writer &out, const Attributes &attributes) {
    const Attributes usual;
    uint32_t set = attributes.scale != usual.scale ? bit_of_scale : 0;
    for_each_sent([&](const AttributeRow &row, uint32_t bit) {
        if (attributes.*row.member != usual.*row.member)
            set |= bit;
    });
    out.put(set);
    for_each_sent([&](const AttributeRow &row, uint32_t bit) {
        if (set & bit)
            out.put(attributes.*row.member);
    });
    if (set & bit_of_scale)
        out.put(attributes.scale);
}

Attributes get_attributes(Reader &in) {
    Attributes attributes;
    const auto set = in.get<uint32_t>();
    for_each_sent([&](const AttributeRow &row, uint32_t bit) {
        if (set & bit)
            attributes.*row.member = in.get<int64_t>();
    });
    if (set & bit_of_scale)
        attributes.scale = in.get<double>();
    return attributes;
}

Attributes restrict_to_both(const Attributes &a, const Attributes &b) {
    Attributes both = a;
    for (const AttributeRow &row : attribute_table) {
        if (row.scope == Scope::smallest)
            both.*row.member = std::min(a.*row.member, b.*row.member);
        else if (row.scope == Scope::common)
            both.*row.member = a.*row.member & b.*row.member;
    }
    return both;
}

} // namespace dri::commit
