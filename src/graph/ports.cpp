// Endpoints are made for a moment to check arguments, so that the rules are in one place. They are not kept: a
// DRI_commit of the program would take them.
#include "graph/ports.hpp"
#include "outer/owned.hpp"

#include "base/enum_number.hpp"

#include <dri/dist.h>

#include <array>

namespace dri::graph {

bool GraphPort::drops() const {
    const auto found = attributes.find(DRI_ATTR_ON_FULL);
    return found != attributes.end() && found->second == DRI_DROP;
}

bool GraphPort::converts() const {
    const auto found = attributes.find(DRI_ATTR_CONVERT);
    return found != attributes.end() && found->second != 0;
}

GraphPort make_port(DRI_Role role, const std::string &name, DRI_Dist dist, DRI_Layout layout) {
    outer::OwnedXfer checked;
    outer::require(DRI_xfer_create(name.c_str(), role, dist, layout, 1, nullptr, checked.out()));
    GraphPort port;
    port.role = role;
    outer::require(DRI_xfer_get_description(checked.get(), nullptr, port.dist.out(), port.layout.out()));
    outer::OwnedGdo gdo;
    outer::require(DRI_dist_get_gdo(dist, gdo.out()));
    port.whole = shape_of(gdo.get());
    std::array<int64_t, DRI_MAX_DIMS> sizes{};
    outer::require(DRI_gdo_get_offset(gdo.get(), nullptr, sizes.data()));
    port.whole.sizes.assign(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(port.whole.sizes.size()));
    outer::OwnedGroup group;
    outer::require(DRI_dist_get_group(dist, group.out()));
    int members = 0;
    outer::require(DRI_group_get_size(group.get(), &members, nullptr));
    port.ranks.resize(static_cast<size_t>(members));
    outer::require(DRI_group_get_ranks(group.get(), port.ranks.data()));
    return port;
}

void set_port_attr(GraphPort &port, const std::string &name, DRI_Attr attr, int64_t value) {
    const int number = number_of(attr);
    switch (number) {
    case DRI_ATTR_STREAM:
    case DRI_ATTR_TIMEOUT_MS:
    case DRI_ATTR_PROGRESS_THREAD:
        fail(DRI_ERR_UNSUPPORTED, "attribute {} of the port '{}' belongs to the plan: see DRI_Plan_options",
             number, name);
    case DRI_ATTR_IN_PLACE:
    case DRI_ATTR_REBASE:
    case DRI_ATTR_REBIND:
    case DRI_ATTR_BUFFER_BYTES:
        fail(DRI_ERR_UNSUPPORTED, "attribute {} of the port '{}' changes buffers, which the plan provides", number,
             name);
    case DRI_ATTR_EVERY:
    case DRI_ATTR_PHASE:
        fail(DRI_ERR_UNSUPPORTED, "attribute {} of the port '{}' leaves out frames; all nodes have the same",
             number, name);
    default: break;
    }
    const outer::OwnedXfer checked = declare_port(port, name, 1);
    outer::require(DRI_xfer_set_attr(checked.get(), attr, value));
    port.attributes[number] = value;
}

void set_port_scale(GraphPort &port, const std::string &name, double scale) {
    const outer::OwnedXfer checked = declare_port(port, name, 1);
    outer::require(DRI_xfer_set_scale(checked.get(), scale));
    port.scale = scale;
}

outer::OwnedXfer declare_port(const GraphPort &port, const std::string &name, int buffers) {
    outer::OwnedXfer made;
    outer::require(DRI_xfer_create(name.c_str(), port.role, port.dist.get(), port.layout.get(), buffers, nullptr,
                                   made.out()));
    for (const auto &[attr, value] : port.attributes)
        outer::require(DRI_xfer_set_attr(made.get(), static_cast<DRI_Attr>(attr), value));
    if (port.scale)
        outer::require(DRI_xfer_set_scale(made.get(), *port.scale));
    return made;
}

} // namespace dri::graph
