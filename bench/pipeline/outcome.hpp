// What comes out of the runs of one program, and what is printed of both.
#pragma once

#include "options.hpp"
#include "report.hpp"
#include "roles.hpp"
#include "turns.hpp"

#include <dri/stream.h>

#include <span>
#include <vector>

namespace pipeline_bench {

class Arrivals {
public:
    static constexpr std::int64_t unsteady = 2; // frames at a round's begin that do not count

    void begin_round() { rounds_.emplace_back(); }
    // A frame arrives now, with what came with it. Throws std::logic_error if parts of it are of another frame.
    void add(const DRI_Frame &frame, std::span<const radar::Report> reports);

    double frames_per_second() const;  // median of the rounds
    double latency(double part) const; // s; a percentile of all rounds' frames
    std::int64_t found() const;        // by all reports
    bool same_reports(const Arrivals &other) const;

private:
    struct Round {
        std::vector<double> arrivals, latencies; // s
    };
    std::vector<Round> rounds_;
    std::vector<radar::Report> reports_;
};

// A table in Markdown, of one row for each program.
void print_table(const Arrivals &by_dri, const Arrivals &by_mpi, const radar::Options &options,
                 const radar::Roles &roles);

// Collective over the world. What the program by MPI spends in its turns, process by process.
void print_moving(const Moving &moving, std::int64_t frames);

} // namespace pipeline_bench
