// The results of one program's runs, and the report on both programs.
#pragma once

#include "options.hpp"
#include "report.hpp"
#include "roles.hpp"
#include "turns.hpp"

#include <dri/dri.hpp>

#include <span>
#include <vector>

namespace pipeline_bench {

class Arrivals {
public:
    static constexpr std::int64_t unsteady = 2; // frames at the start of a round that are not measured

    void begin_round() { rounds_.emplace_back(); }
    // Records that a frame has arrived now, with its header and its reports. Throws std::logic_error if a report
    // belongs to another frame.
    void add(const dri::Frame &frame, std::span<const radar::Report> reports);

    double frames_per_second() const;  // median over the rounds
    double latency(double part) const; // s; percentile over the frames of all rounds
    std::int64_t found() const;        // sum over all reports
    bool same_reports(const Arrivals &other) const;

private:
    struct Round {
        std::vector<double> arrivals, latencies; // s
    };
    std::vector<Round> rounds_;
    std::vector<radar::Report> reports_;
};

// Prints a Markdown table with one row per program.
void print_table(const Arrivals &by_dri, const Arrivals &by_mpi, const radar::Options &options,
                 const radar::Roles &roles);

// Collective over the world. Prints the time that each process of the MPI program spends in its corner turns.
void print_moving(const Moving &moving, std::int64_t frames);

} // namespace pipeline_bench
