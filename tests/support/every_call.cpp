// A call of every function that needs the library.
#include "support/every_call.hpp"

#include <dri/dri_mpi.h>

#include <array>
#include <utility>

namespace dri::test {

WrongCalls calls_that_need_the_library() {
    static std::array<int64_t, 8> longs{};
    static std::array<int, 8> ints{};
    static std::array<DRI_Part_tuple, 8> tuples{};
    static std::array<char, 16> text{};
    static size_t bytes;
    static const DRI_Part_dim dims[8]{};
    static DRI_Block block;
    static DRI_Part_dim rule;
    static DRI_Xfer_info info;
    static DRI_View view;
    static DRI_Dap dap;
    static const DRI_Map_dim map_dims[1]{};
    static DRI_Map_ops map_ops;
    static DRI_Range range{0, 1, 1};
    static DRI_Type type;
    static const DRI_View *seen;
    static void *element;
    static const DRI_Assignment assignment{};
    static const auto put_nothing = [](void *, const char *, size_t) { return 0; };
    const std::vector<std::pair<const char *, std::function<int()>>> calls{
        {"finalize", DRI_finalize},
        {"world_size", [] { return DRI_world_size(ints.data()); }},
        {"world_rank", [] { return DRI_world_rank(ints.data()); }},
        {"type_create", makes<DRI_Type>([](DRI_Type *out) { return DRI_type_create(4, 4, out); })},
        {"type_get_pitch", [] { return DRI_type_get_pitch(DRI_FLOAT, &bytes); }},
        {"type_get_size", [] { return DRI_type_get_size(DRI_FLOAT, &bytes, nullptr); }},
        {"type_destroy", destroys(DRI_Type{}, DRI_type_destroy)},
        {"gdo_create",
         makes<DRI_Gdo>([](DRI_Gdo *out) { return DRI_gdo_create(1, DRI_FLOAT, longs.data(), out); })},
        {"gdo_subset",
         makes<DRI_Gdo>([](DRI_Gdo *out) { return DRI_gdo_subset({}, longs.data(), longs.data(), out); })},
        {"gdo_get_sizes", [] { return DRI_gdo_get_sizes({}, ints.data(), longs.data()); }},
        {"gdo_get_type", makes<DRI_Type>([](DRI_Type *out) { return DRI_gdo_get_type({}, out); })},
        {"gdo_get_offset", [] { return DRI_gdo_get_offset({}, longs.data(), nullptr); }},
        {"gdo_get_count", [] { return DRI_gdo_get_count({}, longs.data(), nullptr); }},
        {"gdo_destroy", destroys(DRI_Gdo{}, DRI_gdo_destroy)},
        {"part_create_rule", makes<DRI_Part>([](DRI_Part *out) { return DRI_part_create_rule(1, dims, out); })},
        {"part_create_blocks", makes<DRI_Part>([](DRI_Part *out) { return DRI_part_create_blocks(1, 0, out); })},
        {"part_create", makes<DRI_Part>([](DRI_Part *out) { return DRI_part_create(1, tuples.data(), out); })},
        {"part_with_edges",
         makes<DRI_Part>([](DRI_Part *out) { return DRI_part_with_edges({}, nullptr, nullptr, out); })},
        {"part_turn", makes<DRI_Part>([](DRI_Part *out) { return DRI_part_turn({}, ints.data(), out); })},
        {"part_get_ndims", [] { return DRI_part_get_ndims({}, ints.data()); }},
        {"part_destroy", destroys(DRI_Part{}, DRI_part_destroy)},
        {"group_create", makes<DRI_Group>([](DRI_Group *out) { return DRI_group_create(1, ints.data(), out); })},
        {"group_create_world", makes<DRI_Group>([](DRI_Group *out) { return DRI_group_create_world(out); })},
        {"group_from_comm",
         makes<DRI_Group>([](DRI_Group *out) { return DRI_group_from_comm(MPI_COMM_WORLD, out); })},
        {"group_get_size", [] { return DRI_group_get_size({}, ints.data(), nullptr); }},
        {"group_gather", [] { return DRI_group_gather({}, 0, nullptr, 0, nullptr, nullptr, 0); }},
        {"group_get_ranks", [] { return DRI_group_get_ranks({}, ints.data()); }},
        {"group_destroy", destroys(DRI_Group{}, DRI_group_destroy)},
        {"dist_create", makes<DRI_Dist>([](DRI_Dist *out) { return DRI_dist_create({}, {}, {}, out); })},
        {"dist_get_gdo", makes<DRI_Gdo>([](DRI_Gdo *out) { return DRI_dist_get_gdo({}, out); })},
        {"dist_get_group", makes<DRI_Group>([](DRI_Group *out) { return DRI_dist_get_group({}, out); })},
        {"dist_get_rule", [] { return DRI_dist_get_rule({}, 0, &rule); }},
        {"dist_get_part", [] { return DRI_dist_get_part({}, 0, tuples.data()); }},
        {"dist_get_extents", [] { return DRI_dist_get_extents({}, 0, longs.data()); }},
        {"dist_get_count", [] { return DRI_dist_get_count({}, 0, longs.data(), nullptr); }},
        {"dist_num_blocks", [] { return DRI_dist_num_blocks({}, 0, 0, longs.data()); }},
        {"dist_get_block", [] { return DRI_dist_get_block({}, 0, 0, 0, &block); }},
        {"dist_get_grid", [] { return DRI_dist_get_grid({}, ints.data()); }},
        {"dist_get_coords", [] { return DRI_dist_get_coords({}, 0, ints.data()); }},
        {"dist_owner", [] { return DRI_dist_owner({}, longs.data(), ints.data()); }},
        {"dist_replicas", [] { return DRI_dist_replicas({}, longs.data(), ints.data(), nullptr); }},
        {"dist_local_index", [] { return DRI_dist_local_index({}, 0, longs.data(), longs.data()); }},
        {"dist_global_index", [] { return DRI_dist_global_index({}, 0, longs.data(), longs.data()); }},
        {"dist_equal", [] { return DRI_dist_equal({}, {}, ints.data()); }},
        {"dist_describe", [] { return DRI_dist_describe({}, text.data(), text.size()); }},
        {"dist_pack", [] { return DRI_dist_pack({}, nullptr, 0, &bytes); }},
        {"dist_unpack", makes<DRI_Dist>([](DRI_Dist *out) { return DRI_dist_unpack(text.data(), 16, out); })},
        {"dist_destroy", destroys(DRI_Dist{}, DRI_dist_destroy)},
        {"layout_create_packed",
         makes<DRI_Layout>([](DRI_Layout *o) { return DRI_layout_create_packed(1, ints.data(), o); })},
        {"layout_create", makes<DRI_Layout>([](DRI_Layout *out) {
             const int64_t one = 1;
             return DRI_layout_create(1, &one, out);
         })},
        {"layout_with_pitch",
         makes<DRI_Layout>([](DRI_Layout *o) { return DRI_layout_with_pitch(DRI_ROW_MAJOR, 4, o); })},
        {"layout_with_complex", makes<DRI_Layout>([](DRI_Layout *out) {
             return DRI_layout_with_complex(DRI_ROW_MAJOR, DRI_SPLIT, out);
         })},
        {"layout_get_plane", [] { return DRI_layout_get_plane(DRI_ROW_MAJOR, {}, 0, longs.data()); }},
        {"layout_get_strides", [] { return DRI_layout_get_strides(DRI_ROW_MAJOR, {}, 0, longs.data()); }},
        {"layout_get_order", [] { return DRI_layout_get_order(DRI_ROW_MAJOR, 1, ints.data()); }},
        {"layout_get_options",
         [] { return DRI_layout_get_options(DRI_ROW_MAJOR, longs.data(), nullptr, nullptr); }},
        {"layout_destroy", destroys(DRI_Layout{}, DRI_layout_destroy)},
        {"alloc",
         [] {
             void *memory = nullptr;
             return DRI_alloc(1, 0, &memory);
         }},
        {"xfer_create", makes<DRI_Xfer>([](DRI_Xfer *o) {
             return DRI_xfer_create("a", DRI_SINK, {}, DRI_ROW_MAJOR, 1, nullptr, o);
         })},
        {"xfer_create_strips", makes<DRI_Xfer>([](DRI_Xfer *out) {
             return DRI_xfer_create_strips("a", DRI_SINK, {}, 0, {}, DRI_ROW_MAJOR, 1, nullptr, out);
         })},
        {"xfer_get_strip", makes<DRI_Dist>([](DRI_Dist *out) { return DRI_xfer_get_strip({}, 0, out); })},
        {"xfer_get_strips",
         makes<DRI_Gdo>([](DRI_Gdo *out) { return DRI_xfer_get_strips({}, nullptr, nullptr, nullptr, out); })},
        {"xfer_get_description",
         makes<DRI_Dist>([](DRI_Dist *out) { return DRI_xfer_get_description({}, nullptr, out, nullptr); })},
        {"xfer_set_attr", [] { return DRI_xfer_set_attr({}, DRI_ATTR_WAYS, 3); }},
        {"xfer_set_scale", [] { return DRI_xfer_set_scale({}, 2); }},
        {"xfer_query", [] { return DRI_xfer_query({}, 0, nullptr, nullptr); }},
        {"turn_create",
         [] {
             DRI_Xfer source, sink;
             return DRI_turn_create("a", {}, {}, 0, 1, DRI_ROW_MAJOR, 1, &source, &sink);
         }},
        {"halo_create", makes<DRI_Xfer>([](DRI_Xfer *out) { return DRI_halo_create("a", {}, 1, out); })},
        {"commit", [] { return DRI_commit({}); }},
        {"commit_ends", [] { return DRI_commit_ends({}, 0, nullptr); }},
        {"do", [] { return DRI_do("a", DRI_XFER_NULL); }},
        {"do with a handle", [] { return DRI_do(nullptr, DRI_Xfer{1}); }},
        {"start", [] { return DRI_start("a", DRI_XFER_NULL); }},
        {"start with a handle", [] { return DRI_start(nullptr, DRI_Xfer{1}); }},
        {"test", [] { return DRI_test("a", DRI_XFER_NULL, ints.data()); }},
        {"wait", [] { return DRI_wait("a", DRI_XFER_NULL); }},
        {"insert", [] { return DRI_insert(DRI_Xfer{1}, nullptr); }},
        {"acquire", [] { return DRI_acquire(DRI_Xfer{1}, nullptr); }},
        {"extract", [] { return DRI_extract(DRI_Xfer{1}, nullptr, nullptr); }},
        {"next", [] { return DRI_next(DRI_Xfer{1}, nullptr); }},
        {"try_acquire", [] { return DRI_try_acquire(DRI_Xfer{1}, nullptr, ints.data()); }},
        {"try_extract", [] { return DRI_try_extract(DRI_Xfer{1}, nullptr, nullptr, ints.data()); }},
        {"xfer_get_frame", [] { return DRI_xfer_get_frame(DRI_Xfer{1}, nullptr, nullptr); }},
        {"release", [] { return DRI_release(DRI_Xfer{1}); }},
        {"progress", DRI_progress},
        {"xfer_close", [] { return DRI_xfer_close(DRI_Xfer{1}); }},
        {"xfer_rebase", [] { return DRI_xfer_rebase(DRI_Xfer{1}, longs.data()); }},
        {"xfer_rebind", [] { return DRI_xfer_rebind(DRI_Xfer{1}, longs.data()); }},
        {"xfer_keep_buffers",
         [] {
             DRI_Kept *kept = nullptr;
             return DRI_xfer_keep_buffers(DRI_Xfer{1}, &kept);
         }},
        {"xfer_get_buffer",
         [] {
             void *buffer = nullptr;
             return DRI_xfer_get_buffer({}, &buffer);
         }},
        {"xfer_get_buffers", [] { return DRI_xfer_get_buffers({}, nullptr, nullptr); }},
        {"xfer_get_view", [] { return DRI_xfer_get_view({}, &view); }},
        {"xfer_buffer_bytes", [] { return DRI_xfer_buffer_bytes({}, &bytes); }},
        {"xfer_get_info", [] { return DRI_xfer_get_info({}, &info); }},
        {"xfer_get_peers", [] { return DRI_xfer_get_peers({}, 0, nullptr, ints.data()); }},
        {"xfer_get_times", [] { return DRI_xfer_get_times({}, 0, nullptr, ints.data()); }},
        {"xfer_explain", [] { return DRI_xfer_explain({}, text.data(), text.size()); }},
        {"xfer_destroy", destroys(DRI_Xfer{}, DRI_xfer_destroy)},
        {"xfer_abandon", destroys(DRI_Xfer{}, DRI_xfer_abandon)},
        {"dap_check", [] { return DRI_dap_check(&dap, {}, nullptr); }},
        {"dap_export", [] { return DRI_dap_export({}, 0, DRI_ROW_MAJOR, nullptr, nullptr, nullptr, &dap); }},
        {"dap_import", makes<DRI_Dist>([](DRI_Dist *out) {
             DRI_Layout layout;
             void *origin = nullptr;
             return DRI_dap_import(&dap, DRI_FLOAT, {}, DRI_DAP_SINK, out, &layout, &origin);
         })},
        {"dap_relabel", [] { return DRI_dap_relabel({}, 0, &dap, nullptr, nullptr, nullptr, longs.data()); }},
        {"map_create", makes<DRI_Map>([](DRI_Map *out) { return DRI_map_create(1, map_dims, {}, out); })},
        {"map_create_dist", makes<DRI_Map>([](DRI_Map *out) { return DRI_map_create_dist({}, out); })},
        {"map_create_user",
         makes<DRI_Map>([](DRI_Map *out) { return DRI_map_create_user(1, &map_ops, nullptr, {}, out); })},
        {"map_owner", [] { return DRI_map_owner({}, longs.data(), ints.data()); }},
        {"map_get_ndims", [] { return DRI_map_get_ndims({}, ints.data()); }},
        {"map_get_grid", [] { return DRI_map_get_grid({}, ints.data()); }},
        {"map_get_group", makes<DRI_Group>([](DRI_Group *out) { return DRI_map_get_group({}, out); })},
        {"map_clone", makes<DRI_Map>([](DRI_Map *out) { return DRI_map_clone({}, out); })},
        {"map_equal", [] { return DRI_map_equal({}, {}, ints.data()); }},
        {"map_describe", [] { return DRI_map_describe({}, text.data(), text.size()); }},
        {"map_pack", [] { return DRI_map_pack({}, nullptr, 0, &bytes); }},
        {"map_unpack", makes<DRI_Map>([](DRI_Map *out) { return DRI_map_unpack(text.data(), 16, nullptr, out); })},
        {"map_destroy", destroys(DRI_Map{}, DRI_map_destroy)},
        {"domain_create",
         makes<DRI_Domain>([](DRI_Domain *out) { return DRI_domain_create({}, DRI_RECTANGULAR, &range, out); })},
        {"domain_get_ranges", [] { return DRI_domain_get_ranges({}, ints.data(), nullptr); }},
        {"domain_get_size", [] { return DRI_domain_get_size({}, longs.data()); }},
        {"domain_get_map", makes<DRI_Map>([](DRI_Map *out) { return DRI_domain_get_map({}, out); })},
        {"domain_clone", makes<DRI_Domain>([](DRI_Domain *out) { return DRI_domain_clone({}, out); })},
        {"domain_equal", [] { return DRI_domain_equal({}, {}, ints.data()); }},
        {"domain_order", [] { return DRI_domain_order({}, longs.data(), longs.data()); }},
        {"domain_index", [] { return DRI_domain_index({}, 0, longs.data()); }},
        {"domain_owner", [] { return DRI_domain_owner({}, longs.data(), ints.data()); }},
        {"domain_num_boxes", [] { return DRI_domain_num_boxes({}, 0, longs.data()); }},
        {"domain_get_box", [] { return DRI_domain_get_box({}, 0, 0, &range); }},
        {"domain_local_index", [] { return DRI_domain_local_index({}, 0, longs.data(), longs.data()); }},
        {"domain_global_index", [] { return DRI_domain_global_index({}, 0, 0, longs.data()); }},
        {"domain_get_count", [] { return DRI_domain_get_count({}, 0, longs.data(), nullptr); }},
        {"domain_num_chunks", [] { return DRI_domain_num_chunks({}, 0, 1, longs.data()); }},
        {"domain_get_chunk", [] { return DRI_domain_get_chunk({}, 0, 1, 0, &range, nullptr); }},
        {"domain_text", [] { return DRI_domain_text({}, text.data(), text.size()); }},
        {"domain_describe", [] { return DRI_domain_describe({}, text.data(), text.size()); }},
        {"domain_check", [] { return DRI_domain_check({}); }},
        {"domain_pack", [] { return DRI_domain_pack({}, nullptr, 0, &bytes); }},
        {"domain_unpack",
         makes<DRI_Domain>([](DRI_Domain *out) { return DRI_domain_unpack(text.data(), 16, nullptr, out); })},
        {"domain_get_dist",
         makes<DRI_Dist>([](DRI_Dist *out) { return DRI_domain_get_dist({}, DRI_FLOAT, out); })},
        {"domain_destroy", destroys(DRI_Domain{}, DRI_domain_destroy)},
        {"domain_set", [] { return DRI_domain_set({}, {}, &range); }},
        {"array_create",
         makes<DRI_Array>([](DRI_Array *out) { return DRI_array_create({}, DRI_FLOAT, nullptr, out); })},
        {"array_slice", makes<DRI_Array>([](DRI_Array *out) { return DRI_array_slice({}, &range, 0, out); })},
        {"array_get_domain", makes<DRI_Domain>([](DRI_Domain *out) { return DRI_array_get_domain({}, out); })},
        {"array_get_type", [] { return DRI_array_get_type({}, &type); }},
        {"array_view", [] { return DRI_array_view({}, 0, &seen); }},
        {"array_at", [] { return DRI_array_at({}, longs.data(), &element); }},
        {"array_set_attr", [] { return DRI_array_set_attr({}, DRI_ARRAY_BULK, 1); }},
        {"array_set_copy", [] { return DRI_array_set_copy({}, nullptr, nullptr); }},
        {"assign", [] { return DRI_assign({}, nullptr, {}, nullptr, nullptr); }},
        {"assign_hand_over", [] { return DRI_assign_hand_over(&assignment, ints.data()); }},
        {"array_update_overlap", [] { return DRI_array_update_overlap({}); }},
        {"array_update_overlap_start", [] { return DRI_array_update_overlap_start({}); }},
        {"array_update_overlap_wait", [] { return DRI_array_update_overlap_wait({}); }},
        {"array_write", [] { return DRI_array_write({}, put_nothing, nullptr); }},
        {"array_describe", [] { return DRI_array_describe({}, text.data(), text.size()); }},
        {"array_destroy", destroys(DRI_Array{}, DRI_array_destroy)},
        {"wisdom_export", [] { return DRI_wisdom_export(nullptr, 0, &bytes); }},
        {"wisdom_import", [] { return DRI_wisdom_import("dri-wisdom 1\n"); }},
    };
    WrongCalls table;
    for (const auto &[what, call] : calls)
        table.push_back({what, call, DRI_ERR_STATE, {}});
    for (WrongCall &call : calls_of_pieces_and_graphs())
        table.push_back(std::move(call));
    return table;
}

} // namespace dri::test
