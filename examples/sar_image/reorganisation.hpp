// A two-dimensional complex array that changes hands: the use of DRI in this program.
#pragma once

#include "phase_history.hpp"

#include <dri/dri.h>
#include <span>

namespace sar {

enum class Where { all_processes, first_process };

// Which lines of the array a process holds: whole rows or whole columns, each contiguous in memory.
enum class Lines { rows, columns };

struct Side {
    Where where;
    Lines lines;
};

// The lines that this process holds on one side of a transfer; none on a process outside that side.
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
    // Collective. source_data: the source's buffer where it exists already, which must outlive this object; else
    // the library provides one.
    Reorganisation(const char *name, std::int64_t rows, std::int64_t columns, Side source, Side sink,
                   cfloat *source_data = nullptr);
    ~Reorganisation();
    Reorganisation(const Reorganisation &) = delete;
    Reorganisation &operator=(const Reorganisation &) = delete;

    // Lines to fill before `run`.
    LocalLines source() const { return lines_of(source_); }

    // One frame: moves the array, and gives the lines that have arrived here.
    LocalLines run();

private:
    struct End {
        DRI_Xfer transfer{};
        LocalLines lines;
    };

    static End declare(const char *name, DRI_Role role, DRI_Gdo array, Side side, cfloat *data);
    static LocalLines lines_of(const End &end);

    const char *name_;
    End source_, sink_;
};

// Collective: commits all reorganisations made so far. From here on they allocate and plan nothing.
void commit_reorganisations();

// Calls work(line, input line, output line) for each line that this process holds on both sides.
template <typename Work> void for_each_line(const LocalLines &input, const LocalLines &output, Work &&work) {
    for (std::int64_t line = input.begin; line < input.end; ++line)
        work(line, input[line], output[line]);
}

} // namespace sar
