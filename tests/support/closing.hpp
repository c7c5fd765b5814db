// Helpers for processes of a source that close the stream "apart" after different frames.
#pragma once

#include "support/objects.hpp"
#include "support/world.hpp"

#include <gtest/gtest.h>

#include <string>

namespace dri::test {

inline constexpr int64_t ways_apart[] = {DRI_WAY_SELF | DRI_WAY_MESSAGE | DRI_WAY_DIRECT, DRI_WAY_MESSAGE};

// A source of two processes consists of process 0 and this one. This one can host a sink beside it.
inline int sink_process() { return world().size == 2 ? 0 : world().size - 1; }

inline void expect_apart(const std::string &message, int closed, int64_t after, int other, int64_t frame) {
    for (const std::string &words :
         {std::string("'apart'"), std::string("differ about the end of the stream"),
          "process " + std::to_string(closed) + " has closed it after " + std::to_string(after) + " frames",
          "process " + std::to_string(other) + " goes on with frame " + std::to_string(frame)})
        EXPECT_NE(message.find(words), std::string::npos) << message;
}

// Waits until all processes are here, and moves frames meanwhile.
inline void meet() {
    MPI_Request all = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    for (int here = 0; !here; MPI_Test(&all, &here, MPI_STATUS_IGNORE))
        expect_success(DRI_progress(), "DRI_progress");
}

} // namespace dri::test
