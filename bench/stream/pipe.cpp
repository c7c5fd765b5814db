#include "stream/pipe.hpp"

#include "world.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <numeric>
#include <vector>

namespace stream_bench {

namespace {

using Element = std::complex<float>;
using bench::check;
constexpr const char *name = "frames";

float keeps_the_result = 0;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Element value(std::int64_t row, std::int64_t column) {
    return {static_cast<float>(row + 1), static_cast<float>(column + 1)};
}

DRI_Group make_group(int first, int count) {
    std::vector<int> ranks(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), first);
    DRI_Group group{};
    check(DRI_group_create(count, ranks.data(), &group));
    return group;
}

// The lines of process `position` if n lines are divided into balanced blocks.
void find_part(std::int64_t n, std::int64_t parts, std::int64_t position, std::int64_t &first,
               std::int64_t &count) {
    first = n / parts * position + std::min(position, n % parts);
    count = n / parts + (position < n % parts ? 1 : 0);
}

} // namespace

void compute(std::int64_t rounds) {
    alignas(64) std::array<float, 512> numbers{};
    for (std::int64_t round = 0; round < rounds; ++round)
        for (float &number : numbers)
            number = number * 0.999F + 0.001F;
    keeps_the_result += numbers[static_cast<std::size_t>(rounds % 512)];
}

Pipe::Pipe(const Setting &setting, Shape shape) : shape_(shape) {
    const bench::World world = bench::world();
    const int producers = std::max(1, world.size / 2), consumers = world.size == 1 ? 1 : world.size - producers;
    producers_ = producers;
    produces_ = world.rank < producers;
    consumes_ = world.rank >= world.size - consumers;
    const std::array<std::int64_t, 2> sizes{shape.rows, shape.columns};
    DRI_Gdo gdo{};
    check(DRI_gdo_create(2, DRI_COMPLEX_FLOAT, sizes.data(), &gdo));
    const auto declare = [&](DRI_Role role, int cut, int first, int count) {
        DRI_Part part{};
        DRI_Dist dist{};
        DRI_Xfer xfer{};
        check(DRI_part_create_blocks(2, cut, &part));
        check(DRI_dist_create(gdo, part, make_group(first, count), &dist));
        check(DRI_xfer_create(name, role, dist, role == DRI_SOURCE ? DRI_ROW_MAJOR : DRI_COL_MAJOR,
                              setting.buffers, nullptr, &xfer));
        check(DRI_xfer_set_attr(xfer, DRI_ATTR_WAYS, setting.ways));
        check(DRI_xfer_set_attr(xfer, DRI_ATTR_PROGRESS_THREAD, setting.thread));
        return xfer;
    };
    if (produces_) {
        source_ = declare(DRI_SOURCE, 0, 0, producers);
        find_part(shape.rows, producers, world.rank, first_row_, rows_);
    }
    if (consumes_) {
        sink_ = declare(DRI_SINK, 1, world.size - consumers, consumers);
        find_part(shape.columns, consumers, world.rank - (world.size - consumers), first_column_, columns_);
    }
    DRI_Group everyone{};
    check(DRI_group_create_world(&everyone));
    check(DRI_commit(everyone));
    if (!produces_)
        return;
    std::vector<void *> buffers(static_cast<std::size_t>(setting.buffers));
    check(DRI_xfer_get_buffers(source_, nullptr, buffers.data()));
    for (void *buffer : buffers)
        for (std::int64_t i = 0; i < rows_; ++i)
            for (std::int64_t j = 0; j < shape_.columns; ++j)
                static_cast<Element *>(buffer)[i * shape_.columns + j] = value(first_row_ + i, j);
}

Pipe::~Pipe() {
    for (DRI_Xfer *xfer : {&sink_, &source_})
        if (xfer->id)
            DRI_xfer_destroy(xfer);
}

// Writes the frame's number into the producer's first row.
void Pipe::stamp(std::int64_t frame) {
    void *buffer = nullptr;
    check(DRI_xfer_get_buffer(source_, &buffer));
    if (rows_ > 0)
        std::fill_n(static_cast<Element *>(buffer), shape_.columns, Element(static_cast<float>(frame), -1));
}

double Pipe::run(std::int64_t frames, std::int64_t rounds, bool transfers) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now();
    for (std::int64_t i = 0; i < frames; ++i) {
        if (!transfers) {
            if (produces_)
                compute(rounds);
            continue;
        }
        if (produces_ && consumes_) {
            stamp(frames_);
            check(DRI_start(name, DRI_XFER_NULL));
            compute(rounds);
            check(DRI_wait(name, DRI_XFER_NULL));
        } else {
            if (produces_) {
                compute(rounds);
                stamp(frames_);
            }
            check(DRI_do(name, DRI_XFER_NULL));
        }
        ++frames_;
    }
    const double seconds = now() - begin;
    return bench::greatest(seconds) / static_cast<double>(frames);
}

std::int64_t Pipe::count_wrong() const {
    std::int64_t wrong = 0;
    if (consumes_) {
        void *buffer = nullptr;
        check(DRI_xfer_get_buffer(sink_, &buffer));
        std::vector<bool> is_stamped(static_cast<std::size_t>(shape_.rows), false);
        for (std::int64_t p = 0; p < producers_; ++p) {
            std::int64_t first = 0, count = 0;
            find_part(shape_.rows, producers_, p, first, count);
            if (count > 0)
                is_stamped[static_cast<std::size_t>(first)] = true;
        }
        for (std::int64_t j = 0; j < columns_; ++j)
            for (std::int64_t i = 0; i < shape_.rows; ++i)
                wrong += static_cast<const Element *>(buffer)[j * shape_.rows + i] !=
                         (is_stamped[static_cast<std::size_t>(i)] ? Element(static_cast<float>(frames_ - 1), -1)
                                                                  : value(i, first_column_ + j));
    }
    return bench::sum(wrong);
}

} // namespace stream_bench
