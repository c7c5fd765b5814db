// Read before the driver of the conformance cases: each call of the C interface that it makes goes through the C++
// interface instead. The driver and its expectations stay the same.
#pragma once

#include <dri/dri_mpi.h>

extern "C" {
decltype(DRI_error_message) face_error_message;
decltype(DRI_init_comm) face_init_comm;
decltype(DRI_finalize) face_finalize;
decltype(DRI_type_create) face_type_create;
decltype(DRI_type_get_pitch) face_type_get_pitch;
decltype(DRI_type_destroy) face_type_destroy;
decltype(DRI_gdo_create) face_gdo_create;
decltype(DRI_gdo_subset) face_gdo_subset;
decltype(DRI_gdo_get_sizes) face_gdo_get_sizes;
decltype(DRI_gdo_get_count) face_gdo_get_count;
decltype(DRI_gdo_destroy) face_gdo_destroy;
decltype(DRI_part_create) face_part_create;
decltype(DRI_part_create_rule) face_part_create_rule;
decltype(DRI_part_create_blocks) face_part_create_blocks;
decltype(DRI_part_with_edges) face_part_with_edges;
decltype(DRI_part_destroy) face_part_destroy;
decltype(DRI_group_create) face_group_create;
decltype(DRI_group_create_world) face_group_create_world;
decltype(DRI_group_destroy) face_group_destroy;
decltype(DRI_dist_create) face_dist_create;
decltype(DRI_dist_get_part) face_dist_get_part;
decltype(DRI_dist_get_extents) face_dist_get_extents;
decltype(DRI_dist_get_count) face_dist_get_count;
decltype(DRI_dist_get_grid) face_dist_get_grid;
decltype(DRI_dist_destroy) face_dist_destroy;
decltype(DRI_layout_create) face_layout_create;
decltype(DRI_layout_create_packed) face_layout_create_packed;
decltype(DRI_layout_destroy) face_layout_destroy;
decltype(DRI_xfer_create) face_xfer_create;
decltype(DRI_xfer_set_attr) face_xfer_set_attr;
decltype(DRI_xfer_rebase) face_xfer_rebase;
decltype(DRI_xfer_get_buffer) face_xfer_get_buffer;
decltype(DRI_xfer_get_buffers) face_xfer_get_buffers;
decltype(DRI_xfer_buffer_bytes) face_xfer_buffer_bytes;
decltype(DRI_xfer_get_info) face_xfer_get_info;
decltype(DRI_xfer_explain) face_xfer_explain;
decltype(DRI_xfer_destroy) face_xfer_destroy;
decltype(DRI_commit) face_commit;
decltype(DRI_do) face_do;
}

#ifndef FACE_CALLS_THEMSELVES
#define DRI_error_message face_error_message
#define DRI_init_comm face_init_comm
#define DRI_finalize face_finalize
#define DRI_type_create face_type_create
#define DRI_type_get_pitch face_type_get_pitch
#define DRI_type_destroy face_type_destroy
#define DRI_gdo_create face_gdo_create
#define DRI_gdo_subset face_gdo_subset
#define DRI_gdo_get_sizes face_gdo_get_sizes
#define DRI_gdo_get_count face_gdo_get_count
#define DRI_gdo_destroy face_gdo_destroy
#define DRI_part_create face_part_create
#define DRI_part_create_rule face_part_create_rule
#define DRI_part_create_blocks face_part_create_blocks
#define DRI_part_with_edges face_part_with_edges
#define DRI_part_destroy face_part_destroy
#define DRI_group_create face_group_create
#define DRI_group_create_world face_group_create_world
#define DRI_group_destroy face_group_destroy
#define DRI_dist_create face_dist_create
#define DRI_dist_get_part face_dist_get_part
#define DRI_dist_get_extents face_dist_get_extents
#define DRI_dist_get_count face_dist_get_count
#define DRI_dist_get_grid face_dist_get_grid
#define DRI_dist_destroy face_dist_destroy
#define DRI_layout_create face_layout_create
#define DRI_layout_create_packed face_layout_create_packed
#define DRI_layout_destroy face_layout_destroy
#define DRI_xfer_create face_xfer_create
#define DRI_xfer_set_attr face_xfer_set_attr
#define DRI_xfer_rebase face_xfer_rebase
#define DRI_xfer_get_buffer face_xfer_get_buffer
#define DRI_xfer_get_buffers face_xfer_get_buffers
#define DRI_xfer_buffer_bytes face_xfer_buffer_bytes
#define DRI_xfer_get_info face_xfer_get_info
#define DRI_xfer_explain face_xfer_explain
#define DRI_xfer_destroy face_xfer_destroy
#define DRI_commit face_commit
#define DRI_do face_do
#endif
