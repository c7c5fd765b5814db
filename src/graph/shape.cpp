// Reads GDOs, compares shapes, and makes GDOs of them.
#include "graph/shape.hpp"

#include "base/checked.hpp"
#include "base/handles.hpp"
#include "outer/owned.hpp"
#include "outer/type_names.hpp"

namespace dri::graph {

int64_t NodeShape::bytes() const {
    int64_t bytes = round_up(size, alignment);
    for (const int64_t n : sizes)
        bytes *= n; // fits: the GDO was checked
    return bytes;
}

std::string NodeShape::text() const {
    const char *const number = outer::name_of_number({type});
    const std::string name = number ? number : fmt::format("record of {} bytes", round_up(size, alignment));
    return fmt::format("{} [{}]", name, fmt::join(sizes, ","));
}

NodeShape shape_of(DRI_Gdo gdo) {
    outer::require_library();
    NodeShape shape;
    int ndims = 0;
    outer::require(DRI_gdo_get_sizes(gdo, &ndims, nullptr));
    shape.sizes.resize(static_cast<size_t>(ndims));
    outer::require(DRI_gdo_get_sizes(gdo, nullptr, shape.sizes.data()));
    outer::OwnedType type;
    outer::require(DRI_gdo_get_type(gdo, type.out()));
    size_t size = 0, alignment = 0;
    outer::require(DRI_type_get_size(type.get(), &size, &alignment));
    shape.size = static_cast<int64_t>(size);
    shape.alignment = static_cast<int64_t>(alignment);
    if (HandleId::decode(type.get().id, HandleKind::type).generation == 0)
        shape.type = type.get().id;
    return shape;
}

void put(Writer &out, const NodeShape &shape) {
    out.put(shape.type).put(shape.size).put(shape.alignment).put_all(shape.sizes);
}

NodeShape get_shape(Reader &in) {
    NodeShape shape;
    shape.type = in.get<uint64_t>();
    shape.size = in.get<int64_t>();
    shape.alignment = in.get<int64_t>();
    shape.sizes = in.get_all<std::vector<int64_t>>();
    return shape;
}

ShapeHandle::ShapeHandle(const NodeShape &shape) {
    outer::OwnedType record;
    DRI_Type type{shape.type};
    if (!shape.type) {
        outer::require(
            DRI_type_create(static_cast<size_t>(shape.size), static_cast<size_t>(shape.alignment), record.out()));
        type = record.get();
    }
    outer::require(DRI_gdo_create(static_cast<int>(shape.sizes.size()), type, shape.sizes.data(), &gdo_));
}

ShapeHandle::~ShapeHandle() {
    if (outer::library_runs())
        DRI_gdo_destroy(&gdo_);
}

int ShapeTable::add(const NodeShape &shape) {
    Writer out;
    put(out, shape);
    const auto [at, is_new] = found_.try_emplace(digest(out.take()), static_cast<int>(shapes_.size()));
    if (is_new)
        shapes_.push_back(shape);
    return at->second;
}

DRI_Gdo ShapeTable::handle(int index) {
    if (index < 0)
        return {};
    handles_.resize(shapes_.size());
    auto &made = handles_[static_cast<size_t>(index)];
    if (!made)
        made = std::make_unique<ShapeHandle>(at(index));
    return made->get();
}

} // namespace dri::graph
