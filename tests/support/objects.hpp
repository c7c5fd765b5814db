// Handles that destroy what they name, and short functions that make them. A failing one is a test failure.
#pragma once

#include <dri/dri.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace dri::test {

template <class Handle, int (*destroy)(Handle *)> class Owned {
public:
    Owned() = default;
    Owned(Owned &&other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
    Owned &operator=(Owned &&other) noexcept {
        reset();
        handle_ = std::exchange(other.handle_, Handle{});
        return *this;
    }
    ~Owned() { reset(); }

    operator Handle() const { return handle_; }
    Handle get() const { return handle_; }
    Handle *out() { return &handle_; }
    explicit operator bool() const { return handle_.id != 0; }
    int reset() { return handle_.id ? destroy(&handle_) : static_cast<int>(DRI_SUCCESS); }

private:
    Handle handle_{};
};

using Type = Owned<DRI_Type, DRI_type_destroy>;
using Gdo = Owned<DRI_Gdo, DRI_gdo_destroy>;
using Part = Owned<DRI_Part, DRI_part_destroy>;
using Group = Owned<DRI_Group, DRI_group_destroy>;
using Dist = Owned<DRI_Dist, DRI_dist_destroy>;
using Layout = Owned<DRI_Layout, DRI_layout_destroy>;
using Xfer = Owned<DRI_Xfer, DRI_xfer_destroy>;

// A DRI_Part_dim of which a test sets only the fields that matter.
struct Rule {
    DRI_Part_kind kind = DRI_WHOLE;
    int nparts = 0;
    DRI_Remainder remainder = DRI_BALANCED;
    int64_t block = 0;
    const int64_t *sizes = nullptr;
    int64_t min = 0, max = 0, multiple = 0;
    const double *weights = nullptr;
    const int64_t *indices = nullptr;
    int64_t nindices = 0;
    int64_t left = 0, right = 0;
    DRI_Edge left_edge = DRI_TRUNCATE, right_edge = DRI_TRUNCATE;
    int64_t phase = 0;
    const DRI_Run *runs = nullptr;
    int64_t nruns = 0;

    operator DRI_Part_dim() const {
        DRI_Part_dim dim{};
        dim.kind = kind;
        dim.nparts = nparts;
        dim.remainder = remainder;
        dim.block = block;
        dim.sizes = sizes;
        dim.min = min;
        dim.max = max;
        dim.multiple = multiple;
        dim.weights = weights;
        dim.indices = indices;
        dim.nindices = nindices;
        dim.left = left;
        dim.right = right;
        dim.left_edge = left_edge;
        dim.right_edge = right_edge;
        dim.phase = phase;
        dim.runs = runs;
        dim.nruns = nruns;
        return dim;
    }
};

inline void expect_success(int code, const char *call) {
    EXPECT_EQ(code, DRI_SUCCESS) << call << ": " << DRI_error_message();
}

inline Gdo make_gdo(const std::vector<int64_t> &sizes, DRI_Type type = DRI_FLOAT) {
    Gdo gdo;
    expect_success(DRI_gdo_create(static_cast<int>(sizes.size()), type, sizes.data(), gdo.out()),
                   "DRI_gdo_create");
    return gdo;
}

inline Part make_part(const std::vector<Rule> &rules) {
    const std::vector<DRI_Part_dim> dims(rules.begin(), rules.end());
    Part part;
    expect_success(DRI_part_create_rule(static_cast<int>(dims.size()), dims.data(), part.out()),
                   "DRI_part_create_rule");
    return part;
}

// An exact partition: `tuples` is the calling process's own piece.
inline Part make_exact(const std::vector<DRI_Part_tuple> &tuples) {
    Part part;
    expect_success(DRI_part_create(static_cast<int>(tuples.size()), tuples.data(), part.out()), "DRI_part_create");
    return part;
}

inline Part with_edges(DRI_Part from, const std::vector<DRI_Edge> &left, const std::vector<DRI_Edge> &right) {
    Part part;
    expect_success(DRI_part_with_edges(from, left.data(), right.data(), part.out()), "DRI_part_with_edges");
    return part;
}

// One dimension in balanced blocks, all others whole.
inline Part make_blocks(int ndims, int dim) {
    Part part;
    expect_success(DRI_part_create_blocks(ndims, dim, part.out()), "DRI_part_create_blocks");
    return part;
}

inline Group make_group(const std::vector<int> &procs) {
    Group group;
    expect_success(DRI_group_create(static_cast<int>(procs.size()), procs.data(), group.out()),
                   "DRI_group_create");
    return group;
}

inline Group make_world() {
    Group group;
    expect_success(DRI_group_create_world(group.out()), "DRI_group_create_world");
    return group;
}

inline Dist make_dist(DRI_Gdo gdo, DRI_Part part, DRI_Group group) {
    Dist dist;
    expect_success(DRI_dist_create(gdo, part, group, dist.out()), "DRI_dist_create");
    return dist;
}

// An endpoint whose buffers belong to the library.
inline Xfer make_xfer(const std::string &name, DRI_Role role, DRI_Dist dist, DRI_Layout layout = DRI_ROW_MAJOR,
                      int nbuffs = 1) {
    Xfer xfer;
    expect_success(DRI_xfer_create(name.c_str(), role, dist, layout, nbuffs, nullptr, xfer.out()),
                   "DRI_xfer_create");
    return xfer;
}

inline void commit(DRI_Group scope) { expect_success(DRI_commit(scope), "DRI_commit"); }

template <class T> T *buffer_of(DRI_Xfer xfer) {
    void *buffer = nullptr;
    expect_success(DRI_xfer_get_buffer(xfer, &buffer), "DRI_xfer_get_buffer");
    return static_cast<T *>(buffer);
}

inline std::string explain(DRI_Xfer xfer) {
    std::string text(65536, '\0');
    expect_success(DRI_xfer_explain(xfer, text.data(), text.size()), "DRI_xfer_explain");
    text.resize(text.find('\0'));
    return text;
}

} // namespace dri::test
