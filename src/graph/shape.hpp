// Sizes and element type of a node, on this process and as bytes for others.
#pragma once

#include "base/wire.hpp"

#include <dri/gdo.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dri::graph {

struct NodeShape {
    uint64_t type = 0;               // a predefined type's handle, which is the same on all processes; 0: a record
    int64_t size = 1, alignment = 1; // of one element, in bytes
    std::vector<int64_t> sizes;

    friend bool operator==(const NodeShape &, const NodeShape &) = default;
    int64_t bytes() const; // of all elements
    std::string text() const;
};

// Fails with DRI_ERR_HANDLE, and with DRI_ERR_STATE if the library does not run.
NodeShape shape_of(DRI_Gdo gdo);
void put(Writer &out, const NodeShape &shape);
NodeShape get_shape(Reader &in);

// A GDO of a shape, destroyed with the object.
class ShapeHandle {
public:
    explicit ShapeHandle(const NodeShape &shape);
    ShapeHandle(const ShapeHandle &) = delete;
    ShapeHandle &operator=(const ShapeHandle &) = delete;
    ~ShapeHandle();
    DRI_Gdo get() const { return gdo_; }

private:
    DRI_Gdo gdo_{};
};

// Different shapes, each once.
class ShapeTable {
public:
    int add(const NodeShape &shape);
    const NodeShape &at(int index) const { return shapes_[static_cast<size_t>(index)]; }
    // A GDO of a shape, made when it is first asked for. -1 has the null handle.
    DRI_Gdo handle(int index);

private:
    std::vector<NodeShape> shapes_;
    std::vector<std::unique_ptr<ShapeHandle>> handles_;
    std::map<Digest, int> found_;
};

} // namespace dri::graph
