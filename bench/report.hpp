#pragma once

#include "goals.hpp"
#include "machine.hpp"

#include <optional>

namespace bench {

struct CaseResult {
    std::string line;
    int64_t bytes = 0;                   // of the whole array
    std::optional<double> round_trip_ns; // round trip of a flag, median over the rounds
    double empty_frame_us = 0;           // from barrier to barrier without work
    double rebind_us = 0;                // of one DRI_xfer_rebind
    std::vector<RowResult> rows;
    std::vector<Judgement> judgements;

    bool has_near_cores() const { return round_trip_ns && *round_trip_ns < near_round_trip_ns; }
    bool is_right() const;
};

double gb_per_s(const CaseResult &result, const RowResult &row); // counts the whole array once
std::string number_text(std::optional<double> value);
std::string surroundings_text(const CaseResult &result); // the flag's round trip, the empty frame and a rebind

// "2 processes", with the number of threads if the library uses several.
std::string processes_text(int processes, const Effort &effort);
void print_header(const Machine &machine, int processes, const Effort &effort, const Barrier &barrier);
void print_table(const CaseResult &result);

// Throws std::runtime_error if the file cannot be written.
void write_json(const std::string &file, const Machine &machine, int processes, const Effort &effort,
                const Barrier &barrier, const std::vector<CaseResult> &results);

} // namespace bench
