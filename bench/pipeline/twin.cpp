#include "twin.hpp"

#include "frame.hpp"
#include "program.hpp"

#include <algorithm>

namespace pipeline_bench {
namespace {

bool contains(const std::vector<int> &ranks, int rank) {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

std::vector<int> with(std::vector<int> ranks, int rank) {
    ranks.push_back(rank);
    return ranks;
}

DRI_Part_tuple part_of(Extent owned, Extent held) {
    return {.left_v = owned.begin - held.begin,
            .left_x = owned.begin,
            .right_x = owned.end,
            .right_v = held.end - owned.end};
}

} // namespace

Twin::Twin(const radar::Options &options, const radar::Roles &roles)
    : radar_(options.radar), is_front_(contains(roles.front, common::process_rank())),
      is_doppler_(contains(roles.doppler, common::process_rank())), clock_(roles.front[0]),
      tracker_(roles.tracker[0]), rank_(common::process_rank()), compress_(options.radar),
      samples_(options, roles), turn_(options, roles),
      detect_(options, part_of(turn_.owned(), turn_.held_ranges())), to_tracker_(with(roles.doppler, tracker_)),
      reports_(rank_ == tracker_ ? roles.doppler.size() : 0) {
    if (is_front_)
        input_ = std::make_unique<radar::Input>(options);
    int begin = 0;
    for (int member = 0; member < to_tracker_.count(); ++member) {
        const bool sends = contains(roles.doppler, to_tracker_.rank(member));
        report_begins_.push_back(begin);
        report_bytes_.push_back(sends ? static_cast<int>(sizeof report_) : 0);
        begin += report_bytes_.back();
    }
}

void Twin::send_header() {
    frame_ = DRI_Frame(common::begin_frame(input_->waveform()));
    frame_.number = next_frame_;
    for (int member = 0; member < to_tracker_.count(); ++member) // short enough to leave at once
        if (const int rank = to_tracker_.rank(member); rank != clock_)
            MPI_Send(&frame_, sizeof frame_, MPI_BYTE, rank, 0, MPI_COMM_WORLD);
}

void Twin::receive_header() {
    if (to_tracker_.held() && rank_ != clock_)
        MPI_Recv(&frame_, sizeof frame_, MPI_BYTE, clock_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void Twin::run_front() {
    if (rank_ == clock_)
        send_header();
    input_->fill(next_frame_, samples_.pulses().begin, samples_.pulses().end, samples_.arriving());
    samples_.run(moving_);
    if (const std::int64_t count = samples_.ranges().size(); count > 0)
        compress_.lines(samples_.lines().data(), radar_.channels * radar_.pulses, samples_.length(), count,
                        turn_.compressed());
}

void Twin::run_frame(const radar::Follow &follow) {
    if (is_front_)
        run_front();
    if (turn_.held())
        turn_.run(moving_);
    receive_header();
    if (is_doppler_)
        detect_(dri::Frame(frame_), turn_.pulses().data(), report_);
    if (to_tracker_.held())
        MPI_Gatherv(&report_, is_doppler_ ? static_cast<int>(sizeof report_) : 0, MPI_BYTE, reports_.data(),
                    report_bytes_.data(), report_begins_.data(), MPI_BYTE, to_tracker_.index_of(tracker_),
                    to_tracker_.comm());
    if (rank_ == tracker_)
        follow(dri::Frame(frame_), reports_);
    ++next_frame_;
}

} // namespace pipeline_bench
