// A transfer from one process to another one.
#pragma once

#include "support/strip.hpp"

namespace dri::test {

struct Line {
    std::optional<Strip> source, sink;

    Line(const std::string &name, int from, int to, StripShape shape, int sources = 1, int sinks = 1)
        : source(declare_strip(name, DRI_SOURCE, {from}, sources, shape)),
          sink(declare_strip(name, DRI_SINK, {to}, sinks, shape)) {}

    template <class F> void each_endpoint(F f) const {
        for (const auto *endpoint : {&source, &sink})
            if (*endpoint)
                f(DRI_Xfer((*endpoint)->xfer));
    }
    void set(DRI_Attr attribute, int64_t value) const {
        each_endpoint([&](DRI_Xfer xfer) {
            expect_success(DRI_xfer_set_attr(xfer, attribute, value), "DRI_xfer_set_attr");
        });
    }
    void send_messages() const { set(DRI_ATTR_WAYS, DRI_WAY_SELF | DRI_WAY_MESSAGE); }
    // With the smallest workspace, a source sends a frame in rounds and waits for its receiver within the frame.
    // Collective over the world.
    void send_in_rounds() const {
        send_messages();
        DRI_Xfer xfer = DRI_XFER_NULL;
        each_endpoint([&](DRI_Xfer endpoint) { xfer = endpoint; });
        const int n = xfer.id ? 1 : 0;
        DRI_Memory reported{};
        expect_success(DRI_xfer_query(make_world(), n, &xfer, &reported), "DRI_xfer_query");
        if (n)
            expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_WORKSPACE_LIMIT, reported.least_bytes),
                           "DRI_xfer_set_attr");
    }
    void insert_frame(int64_t frame) const {
        if (!source)
            return;
        source->fill(buffer_of<void>(source->xfer), frame);
        insert(source->xfer);
    }
    void acquire_next() const {
        if (source)
            acquire(source->xfer);
    }
    void take_frame(int64_t frame) const {
        if (sink) {
            EXPECT_EQ(sink->wrong(extract(sink->xfer), frame), 0) << frame;
            release(sink->xfer);
        }
    }
    void run(int64_t frame) const {
        insert_frame(frame);
        acquire_next();
        take_frame(frame);
    }
};

} // namespace dri::test
