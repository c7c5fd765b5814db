// The C++20 face of the library: the whole C interface in types and ranges. Headers alone, over
// the C interface (dri/dri.h), whose comments say what each call does and what it costs.
//
//     dri::Environment env(argc, argv);
//     const dri::Gdo<float, 2> matrix(1000, 750);
//     dri::Source rows("turn", dri::Dist(matrix, {dri::block(), dri::whole()}));
//     dri::Sink columns("turn", dri::Dist(matrix, {dri::whole(), dri::block()}), {.layout = dri::col_major});
//     dri::commit();
//     for (auto [at, x] : rows.elements())
//         x = static_cast<float>(at[0]);
//     dri::run("turn");
//
// Every failing call throws dri::Error. The end of a stream is no failure. Objects destroy what they name; their
// destructors never throw, and do nothing after the end of the library. Objects of descriptions are values, whose
// copies share one handle; endpoints are moved. handle() gives the handle of the C interface, and adopt() takes
// one over. Numbers of dimensions and element types are part of the types, so the compiler checks them.
//
// dri/dri_mpi.hpp adds what needs MPI types.
#pragma once

#include <dri/cpp/apply.hpp>
#include <dri/cpp/array.hpp>
#include <dri/cpp/assign.hpp>
#include <dri/cpp/assignment.hpp>
#include <dri/cpp/box.hpp>
#include <dri/cpp/buffers.hpp>
#include <dri/cpp/calls.hpp>
#include <dri/cpp/chunks.hpp>
#include <dri/cpp/compound.hpp>
#include <dri/cpp/copy.hpp>
#include <dri/cpp/cut.hpp>
#include <dri/cpp/dap.hpp>
#include <dri/cpp/dist.hpp>
#include <dri/cpp/domain.hpp>
#include <dri/cpp/element.hpp>
#include <dri/cpp/elements.hpp>
#include <dri/cpp/elementwise.hpp>
#include <dri/cpp/end.hpp>
#include <dri/cpp/env.hpp>
#include <dri/cpp/error.hpp>
#include <dri/cpp/expression.hpp>
#include <dri/cpp/forall.hpp>
#include <dri/cpp/frame.hpp>
#include <dri/cpp/frames.hpp>
#include <dri/cpp/gdo.hpp>
#include <dri/cpp/graph.hpp>
#include <dri/cpp/graph_call.hpp>
#include <dri/cpp/graph_checks.hpp>
#include <dri/cpp/graph_node.hpp>
#include <dri/cpp/graph_plan.hpp>
#include <dri/cpp/group.hpp>
#include <dri/cpp/info.hpp>
#include <dri/cpp/kernels.hpp>
#include <dri/cpp/layout.hpp>
#include <dri/cpp/local_view.hpp>
#include <dri/cpp/loop.hpp>
#include <dri/cpp/map.hpp>
#include <dri/cpp/memory.hpp>
#include <dri/cpp/options.hpp>
#include <dri/cpp/part.hpp>
#include <dri/cpp/partition.hpp>
#include <dri/cpp/piece.hpp>
#include <dri/cpp/range.hpp>
#include <dri/cpp/ranges.hpp>
#include <dri/cpp/sink.hpp>
#include <dri/cpp/slice.hpp>
#include <dri/cpp/source.hpp>
#include <dri/cpp/status.hpp>
#include <dri/cpp/strips.hpp>
#include <dri/cpp/team.hpp>
#include <dri/cpp/turn.hpp>
#include <dri/cpp/view.hpp>
#include <dri/dri.h>
