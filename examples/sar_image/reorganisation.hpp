// Reorganisation of a two-dimensional complex array. This file and its .cpp hold all use of DRI in this program.
#pragma once

#include "phase_history.hpp"

#include <dri/dri.hpp>
#include <span>

namespace sar {

enum class Where { all_processes, first_process };

// Which lines of the array a process holds: whole rows or whole columns. Each line is contiguous in memory.
enum class Lines { rows, columns };

struct Side {
    Where where;
    Lines lines;
};

// The lines that this process holds on one side of a transfer; none on a process that is not in that side.
struct LocalLines {
    std::int64_t begin = 0, end = 0; // indices in the whole array
    std::int64_t length = 0;
    cfloat *data = nullptr;

    std::span<cfloat> operator[](std::int64_t line) const {
        return {data + (line - begin) * length, static_cast<std::size_t>(length)};
    }
};

// A named DRI transfer of a rows x columns array from one side to the other.
class Reorganisation {
public:
    // Collective. source_data: the source's buffer if it exists already; it must outlive this object. Otherwise
    // the library allocates one.
    Reorganisation(const char *name, std::int64_t rows, std::int64_t columns, Side source, Side sink,
                   cfloat *source_data = nullptr);
    // The lines to fill before `run`.
    LocalLines source() const { return lines_of(source_, source_side_); }

    // Transfers one frame, and returns the lines that have arrived on this process.
    LocalLines run();

private:
    static LocalLines lines_of(const dri::End<cfloat, 2> &endpoint, Side side);

    const char *name_;
    Side source_side_, sink_side_;
    dri::Source<cfloat, 2> source_;
    dri::Sink<cfloat, 2> sink_;
};

// Calls work(line, input line, output line) for each line that this process holds on both sides.
template <typename Work> void for_each_line(const LocalLines &input, const LocalLines &output, Work &&work) {
    for (std::int64_t line = input.begin; line < input.end; ++line)
        work(line, input[line], output[line]);
}

} // namespace sar
