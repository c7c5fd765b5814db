// It sees the library as a program does, through its public headers.
#include "face.hpp"

#include <dri/dri.hpp>

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstdio>
#include <functional>
#include <vector>

namespace overhead_bench {

namespace {

using Element = std::complex<float>;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// A corner turn of all processes.
struct Turn {
    explicit Turn(const char *name, const dri::Options &of_source = {})
        : source(name, dri::Dist(matrix, {dri::block(), dri::whole()}), of_source),
          sink(name, dri::Dist(matrix, {dri::whole(), dri::block()}),
               {.layout = dri::col_major, .buffers = of_source.buffers}) {}

    dri::Gdo<Element, 2> matrix{64, 64};
    dri::Source<Element, 2> source;
    dri::Sink<Element, 2> sink;
};

struct Pair {
    double c = 1e9, cpp = 1e9;        // seconds of a frame, the shortest
    double ratio = 0, difference = 0; // medians of the rounds
};

double median_of(std::vector<double> &values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// Both functions run a number of frames. All processes run as many.
Pair measure(const std::function<void(int64_t)> &by_c, const std::function<void(int64_t)> &by_cpp, double seconds,
             int repetitions) {
    constexpr double usual_frame = 2e-6;
    const auto frames = std::max<int64_t>(10, static_cast<int64_t>(seconds / usual_frame));
    const auto time_of = [frames](const std::function<void(int64_t)> &run) {
        const double begin = now();
        run(frames);
        return (now() - begin) / static_cast<double>(frames);
    };
    Pair pair;
    std::vector<double> ratios, differences;
    for (int i = 0; i < repetitions; ++i) {
        const double c = time_of(by_c), cpp = time_of(by_cpp);
        pair.c = std::min(pair.c, c);
        pair.cpp = std::min(pair.cpp, cpp);
        ratios.push_back(cpp / c);
        differences.push_back(cpp - c);
    }
    pair.ratio = median_of(ratios);
    pair.difference = median_of(differences);
    return pair;
}

void require(bool right) {
    if (!right)
        throw dri::Error(DRI_ERR_INTERNAL, "a call failed while it was measured");
}

Pair whole_frames(double seconds, int repetitions) {
    Turn turn("frames");
    dri::commit();
    return measure(
        [](int64_t frames) {
            for (int64_t f = 0; f < frames; ++f)
                require(DRI_do("frames", DRI_XFER_NULL) == DRI_SUCCESS);
        },
        [](int64_t frames) {
            for (int64_t f = 0; f < frames; ++f)
                dri::run("frames");
        },
        seconds, repetitions);
}

Pair streams(double seconds, int repetitions) {
    Turn turn("stream", {.buffers = 2, .stream = true});
    dri::commit();
    Element *volatile seen = nullptr;
    turn.source.insert("first");
    require(turn.sink.extract().has_value());
    return measure(
        [&](int64_t frames) {
            DRI_Frame sent{}, got;
            sent.bytes = 5;
            void *buffer = nullptr;
            for (int64_t f = 0; f < frames; ++f) {
                require(DRI_next(turn.source.handle(), &buffer) == DRI_SUCCESS);
                seen = static_cast<Element *>(buffer);
                require(DRI_insert(turn.source.handle(), &sent) == DRI_SUCCESS);
                require(DRI_release(turn.sink.handle()) == DRI_SUCCESS);
                require(DRI_extract(turn.sink.handle(), &buffer, &got) == DRI_SUCCESS);
                seen = static_cast<Element *>(buffer);
            }
        },
        [&](int64_t frames) {
            seen = turn.source.next().data();
            turn.source.insert("frame");
            int64_t f = 1;
            for (const auto &got : turn.sink.frames()) {
                seen = got.data();
                if (f++ == frames)
                    break;
                seen = turn.source.next().data();
                turn.source.insert("frame");
            }
        },
        seconds, repetitions);
}

} // namespace

int compare_interfaces(int argc, char **argv, double seconds, int repetitions) {
    const dri::Environment env(argc, argv);
    const Pair frames = whole_frames(seconds, repetitions), stream = streams(seconds, repetitions);
    if (env.rank() == 0) {
        std::printf("| 64 by 64, %d processes | C, us | C++, us | C++ / C | difference, ns |\n", env.size());
        std::printf("|---|---|---|---|---|\n");
        const auto print = [](const char *what, const Pair &pair) {
            std::printf("| %s | %.3f | %.3f | %.3f | %.0f |\n", what, 1e6 * pair.c, 1e6 * pair.cpp, pair.ratio,
                        1e9 * pair.difference);
        };
        print("`run` and DRI_do", frames);
        print("`next`, `insert`, `frames` and the C calls", stream);
    }
    return 0;
}

} // namespace overhead_bench
