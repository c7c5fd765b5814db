// A stream of frames from producers that compute to consumers that take them.
#pragma once

#include <dri/dri.h>

#include <cstdint>

namespace stream_bench {

struct Shape {
    std::int64_t rows = 0, columns = 0; // of complex float
};

struct Setting {
    const char *way = "";
    std::int64_t ways = 0;
    int buffers = 1; // of either end
    bool thread = false;
};

// The first half of the processes turns a matrix to the others; one process alone turns it to itself.
class Pipe {
public:
    // Collective over the world, as is all else here. Throws std::runtime_error with the library's words.
    Pipe(const Setting &setting, Shape shape);
    ~Pipe();
    Pipe(const Pipe &) = delete;
    Pipe &operator=(const Pipe &) = delete;

    // Seconds of a frame: with so many rounds of computation before each at the producers, and with or without the
    // transfer; of the slowest process.
    double run(std::int64_t frames, std::int64_t rounds, bool transfers);
    // Elements of the last frame that are not at their places, on all processes.
    std::int64_t count_wrong() const;

private:
    void stamp(std::int64_t frame);

    Shape shape_;
    bool produces_, consumes_;
    std::int64_t producers_, first_row_ = 0, rows_ = 0, first_column_ = 0, columns_ = 0; // of this process's parts
    DRI_Xfer source_{}, sink_{};
    std::int64_t frames_ = 0;
};

// Computes without touching memory beyond the first cache.
void compute(std::int64_t rounds);

} // namespace stream_bench
