// Names the kinds of handles, and refuses the wrong ones.
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

void HandleId::refuse(uint64_t id, HandleKind expected) {
    if (id == 0)
        fail(DRI_ERR_HANDLE, "the {} handle is null", kind_name(expected));
    fail(DRI_ERR_HANDLE, "the handle is of kind '{}', but must be of kind '{}'",
         kind_name(static_cast<HandleKind>(id >> 56)), kind_name(expected));
}

} // namespace dri::inline base
