// A stream of frames from producers that compute to consumers that receive them.
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
    int buffers = 1; // per endpoint
    bool thread = false;
};

// The first half of the processes sends a matrix to the others by a corner turn. A single process sends it to
// itself.
class Pipe {
public:
    // Collective over the world, as are all other functions here. Throws std::runtime_error with the library's
    // message.
    Pipe(const Setting &setting, Shape shape);
    ~Pipe();
    Pipe(const Pipe &) = delete;
    Pipe &operator=(const Pipe &) = delete;

    // Seconds per frame of the slowest process. The producers compute `rounds` rounds for each frame. No frame is
    // transferred if `transfers` is false.
    double run(std::int64_t frames, std::int64_t rounds, bool transfers);
    // Number of wrong elements of the last frame on all processes.
    std::int64_t count_wrong() const;

private:
    void stamp(std::int64_t frame);

    Shape shape_;
    bool produces_, consumes_;
    std::int64_t producers_, first_row_ = 0, rows_ = 0, first_column_ = 0,
                             columns_ = 0; // the parts of this process
    DRI_Xfer source_{}, sink_{};
    std::int64_t frames_ = 0;
};

// Computes without accesses to memory beyond the L1 cache.
void compute(std::int64_t rounds);

} // namespace stream_bench
