// The program examples/range_doppler with the same stages, but with blocking MPI calls for all data that move:
// MPI_Alltoallv for the corner turns, MPI_Gatherv for the detections, messages for the frame headers.
#pragma once

#include "detector.hpp"
#include "input.hpp"
#include "pipeline.hpp"
#include "pulse_compression.hpp"
#include "turns.hpp"

#include <memory>

namespace pipeline_bench {

class Twin {
public:
    // Collective over the world.
    Twin(const radar::Options &options, const radar::Roles &roles);

    // Runs the next frame.
    void run_frame(const radar::Follow &follow);

    std::span<const radar::cfloat> lines() const { return samples_.lines(); }
    std::span<const radar::cfloat> pulses() const { return turn_.pulses(); }
    const Moving &moving() const { return moving_; }

private:
    void run_front();
    void send_header();
    void receive_header();

    radar::Radar radar_;
    bool is_front_, is_doppler_;
    int clock_, tracker_, rank_; // clock_ is the front end's first process
    std::int64_t next_frame_ = 0;
    std::unique_ptr<radar::Input> input_;
    radar::PulseCompression compress_;
    SamplesTurn samples_;
    PulsesTurn turn_;
    radar::Detector detect_;
    Members to_tracker_; // the Doppler stage and the tracker
    std::vector<int> report_bytes_, report_begins_;
    radar::Report report_{};
    std::vector<radar::Report> reports_; // at the tracker
    DRI_Frame frame_{};                  // the header of the frame
    Moving moving_;
};

} // namespace pipeline_bench
