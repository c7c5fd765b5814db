// Decodes handles and names their kinds.
#include "base/handles.hpp"

namespace dri::inline base {

const char *kind_name(HandleKind kind) {
    switch (kind) {
    case HandleKind::type: return "type";
    case HandleKind::gdo: return "GDO";
    case HandleKind::part: return "partition";
    case HandleKind::group: return "group";
    case HandleKind::dist: return "distribution";
    case HandleKind::layout: return "layout";
    case HandleKind::xfer: return "endpoint";
    case HandleKind::map: return "map";
    case HandleKind::domain: return "domain";
    case HandleKind::array: return "array";
    case HandleKind::loop: return "loop";
    case HandleKind::graph: return "graph";
    case HandleKind::graph_plan: return "plan";
    }
    return "unknown";
}

HandleId HandleId::decode(uint64_t id, HandleKind expected) {
    if (id == 0)
        fail(DRI_ERR_HANDLE, "the {} handle is null", kind_name(expected));
    const auto kind = static_cast<HandleKind>(id >> 56);
    if (kind != expected)
        fail(DRI_ERR_HANDLE, "the handle is of kind '{}', but must be of kind '{}'", kind_name(kind),
             kind_name(expected));
    return {kind, static_cast<uint32_t>(id >> 32) & max_generation, static_cast<uint32_t>(id) - 1};
}

} // namespace dri::inline base
