// Endpoints of a stream whose sink drops frames, and checks of the frames that this sink receives.
#pragma once

#include "support/strip.hpp"

namespace dri::test {

inline constexpr StripShape narrow{14, 2}, tall{200, 150};
inline constexpr int64_t under_way = 2; // frames under way to a process of the sink, as DRI_DROP documents

struct Info : DRI_Xfer_info {
    explicit Info(DRI_Xfer xfer) : DRI_Xfer_info{} {
        expect_success(DRI_xfer_get_info(xfer, this), "DRI_xfer_get_info");
    }
};

inline void set_attr(const std::optional<Strip> &endpoint, DRI_Attr attribute, int64_t value) {
    if (endpoint)
        expect_success(DRI_xfer_set_attr(endpoint->xfer, attribute, value), "DRI_xfer_set_attr");
}

inline std::optional<Strip> declare_patient(const std::string &name, const std::vector<int> &procs, int nbuffs,
                                            StripShape shape) {
    auto source = declare_stream(name, procs, nbuffs, shape);
    set_attr(source, DRI_ATTR_TIMEOUT_MS, 120000);
    return source;
}

inline std::optional<Strip> declare_dropping(const std::string &name, const std::vector<int> &procs, int nbuffs,
                                             StripShape shape) {
    auto sink = declare_strip(name, DRI_SINK, procs, nbuffs, shape);
    set_attr(sink, DRI_ATTR_ON_FULL, DRI_DROP);
    set_attr(sink, DRI_ATTR_TIMEOUT_MS, 120000);
    return sink;
}

// The numbers of the frames that a sink has received. Each frame is checked element by element.
struct Got {
    std::vector<int64_t> numbers;

    int extract(const Strip &sink) {
        void *buffer = nullptr;
        DRI_Frame frame{};
        const int code = DRI_extract(sink.xfer, &buffer, &frame);
        if (code != DRI_SUCCESS)
            return code;
        EXPECT_EQ(sink.wrong(buffer, frame.number), 0) << "frame " << frame.number;
        EXPECT_TRUE(numbers.empty() || numbers.back() < frame.number) << frame.number;
        EXPECT_EQ(frame.bytes, 1);
        EXPECT_EQ(frame.data[0], static_cast<unsigned char>(frame.number));
        numbers.push_back(frame.number);
        EXPECT_GE(Info(sink.xfer).frames + Info(sink.xfer).dropped, frame.number + 1);
        release(sink.xfer);
        return code;
    }
    void extract_all(const Strip &sink) {
        int code = DRI_SUCCESS;
        while (code == DRI_SUCCESS)
            code = extract(sink);
        EXPECT_EQ(code, DRI_END_OF_STREAM) << DRI_error_message();
    }
};

inline void hand_over(const Strip &source, int64_t number) {
    DRI_Frame frame{};
    frame.bytes = 1;
    frame.data[0] = static_cast<unsigned char>(number);
    source.fill(buffer_of<void>(source.xfer), number);
    insert(source.xfer, &frame);
}

// Expects the same numbers on all processes that have a sink.
inline void expect_same_everywhere(const std::optional<Got> &mine) {
    const auto size = static_cast<size_t>(world().size);
    int64_t n = mine ? std::ssize(mine->numbers) : -1, max = 0;
    MPI_Allreduce(&n, &max, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    std::vector<int64_t> row(static_cast<size_t>(max) + 1, -1), all(row.size() * size);
    row[0] = n;
    if (mine)
        std::copy(mine->numbers.begin(), mine->numbers.end(), row.begin() + 1);
    MPI_Allgather(row.data(), static_cast<int>(row.size()), MPI_INT64_T, all.data(), static_cast<int>(row.size()),
                  MPI_INT64_T, MPI_COMM_WORLD);
    for (size_t p = 0; mine && p < size; ++p) {
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(p * row.size());
        EXPECT_TRUE(*from < 0 || std::equal(row.begin(), row.end(), from))
            << "process " << p << " received other frames";
    }
}

} // namespace dri::test
