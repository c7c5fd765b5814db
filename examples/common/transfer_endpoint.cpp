#include "transfer_endpoint.hpp"

#include "program.hpp"

#include <algorithm>

namespace common {

TransferEndpoint::TransferEndpoint(const EndpointDescription &of) : has_buffer_(of.role == DRI_SOURCE) {
    const int rank = process_rank();
    if (std::find(of.ranks.begin(), of.ranks.end(), rank) == of.ranks.end())
        return;
    const int ndims = static_cast<int>(of.sizes.size());
    DRI_Gdo array;
    DRI_Part partition;
    DRI_Group group;
    DRI_Dist distribution;
    DRI_Layout layout;
    check(DRI_gdo_create(ndims, of.type, of.sizes.data(), &array));
    if (!of.box_sizes.empty()) {
        DRI_Gdo box;
        check(DRI_gdo_subset(array, of.box_begin.data(), of.box_sizes.data(), &box));
        check(DRI_gdo_destroy(&array));
        array = box;
    }
    check(of.piece.empty() ? DRI_part_create_rule(ndims, of.cut.data(), &partition)
                           : DRI_part_create(ndims, of.piece.data(), &partition));
    check(DRI_group_create(static_cast<int>(of.ranks.size()), of.ranks.data(), &group));
    check(DRI_dist_create(array, partition, group, &distribution));
    check(DRI_layout_create_packed(ndims, of.order.data(), &layout));
    check(DRI_dist_get_part(distribution, rank, part_));
    check(DRI_dist_get_extents(distribution, rank, extents_));
    check(DRI_xfer_create(of.name, of.role, distribution, layout, of.buffers, nullptr, &transfer_));
    if (of.convert)
        check(DRI_xfer_set_attr(transfer_, DRI_ATTR_CONVERT, 1));
    if (of.scale != 1)
        check(DRI_xfer_set_scale(transfer_, of.scale));
    if (of.stream)
        check(DRI_xfer_set_attr(transfer_, DRI_ATTR_STREAM, 1));
    check(DRI_layout_destroy(&layout));
    check(DRI_dist_destroy(&distribution));
    check(DRI_group_destroy(&group));
    check(DRI_part_destroy(&partition));
    check(DRI_gdo_destroy(&array));
}

TransferEndpoint::~TransferEndpoint() {
    if (held())
        DRI_xfer_destroy(&transfer_);
}

void TransferEndpoint::acquire() {
    if (!has_buffer_)
        check(DRI_acquire(transfer_, nullptr));
    has_buffer_ = true;
}

void TransferEndpoint::insert(const DRI_Frame &frame) {
    check(DRI_insert(transfer_, &frame));
    has_buffer_ = false;
}

void TransferEndpoint::close() {
    check(DRI_xfer_close(transfer_));
    check(DRI_xfer_destroy(&transfer_));
}

bool TransferEndpoint::next(DRI_Frame &frame) {
    if (has_buffer_)
        check(DRI_release(transfer_));
    has_buffer_ = false;
    const int code = DRI_extract(transfer_, nullptr, &frame);
    if (code == DRI_END_OF_STREAM)
        return false;
    check(code);
    has_buffer_ = true;
    return true;
}

void *TransferEndpoint::buffer() const {
    void *address = nullptr;
    if (held())
        check(DRI_xfer_get_buffer(transfer_, &address));
    return address;
}

DRI_Part_dim blocks(std::int64_t left, std::int64_t right) {
    DRI_Part_dim dim{};
    dim.kind = DRI_BLOCK;
    dim.left = left;
    dim.right = right;
    return dim;
}

DRI_Part_dim whole() { return {}; }

void commit_endpoints() {
    DRI_Group everyone;
    check(DRI_group_create_world(&everyone));
    check(DRI_commit(everyone));
    check(DRI_group_destroy(&everyone));
}

void move_frame(const char *name) { check(DRI_do(name, DRI_XFER_NULL)); }

} // namespace common
