/*
 * DRI: data reorganisation for parallel signal processing.
 *
 * A program describes a global data object, how it is partitioned over which group of processes,
 * and how it lies in memory, on both sides of a transfer. It gives the transfer a name and commits
 * once, collectively; then DRI_do moves frame after frame.
 *
 * C99 and C++. This header does not include <mpi.h>; dri/dri_mpi.h adds what needs MPI types.
 * Sizes and indices are int64_t and count elements; ranges are half-open; row-major is the default.
 * Arrays that a function takes are copied before it returns, except a transfer's buffers.
 */
#ifndef DRI_DRI_H
#define DRI_DRI_H

#include <dri/codes.h>
#include <dri/dist.h>
#include <dri/env.h>
#include <dri/gdo.h>
#include <dri/info.h>
#include <dri/layout.h>
#include <dri/part.h>
#include <dri/stream.h>
#include <dri/strips.h>
#include <dri/window.h>
#include <dri/wisdom.h>
#include <dri/xfer.h>

#define DRI_VERSION_MAJOR 0
#define DRI_VERSION_MINOR 1
#define DRI_VERSION_PATCH 0

#endif
