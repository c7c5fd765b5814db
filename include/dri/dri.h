/*
 * DRI: data reorganisation for parallel signal processing.
 *
 * A program describes a global data object, its partition over a group of processes, and its layout in memory,
 * on both sides of a transfer. It gives the transfer a name and commits once, collectively. Then DRI_do moves
 * frame after frame.
 *
 * C99 and C++. This header does not include <mpi.h>; dri/dri_mpi.h adds what needs MPI types.
 * Sizes and indices are int64_t and count elements. Ranges are half-open. Row-major is the default order.
 * A function copies the arrays that it takes before it returns, except a transfer's buffers.
 */
#ifndef DRI_DRI_H
#define DRI_DRI_H

#include <dri/array.h>
#include <dri/codes.h>
#include <dri/dap.h>
#include <dri/dist.h>
#include <dri/domain.h>
#include <dri/env.h>
#include <dri/gdo.h>
#include <dri/graph.h>
#include <dri/graph_plan.h>
#include <dri/graph_run.h>
#include <dri/group.h>
#include <dri/info.h>
#include <dri/layout.h>
#include <dri/loop.h>
#include <dri/map.h>
#include <dri/memory.h>
#include <dri/part.h>
#include <dri/piece.h>
#include <dri/range.h>
#include <dri/stream.h>
#include <dri/strips.h>
#include <dri/turn.h>
#include <dri/view.h>
#include <dri/window.h>
#include <dri/wisdom.h>
#include <dri/xfer.h>

#define DRI_VERSION_MAJOR 0
#define DRI_VERSION_MINOR 1
#define DRI_VERSION_PATCH 0

#endif
