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

void put(Writer &out, const Attributes &attributes) {
    for (const AttributeRow &row : attribute_table)
        if (row.scope != Scope::own)
            out.put(attributes.*row.member);
    out.put(attributes.scale);
}

Attributes get_attributes(Reader &in) {
    Attributes attributes;
    for (const AttributeRow &row : attribute_table)
        if (row.scope != Scope::own)
            attributes.*row.member = in.get<int64_t>();
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
