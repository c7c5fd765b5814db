// The calls of stream.h: the halves of DRI_do, and the end of a stream.
#include "api/lookup.hpp"
#include "api/state.hpp"
#include "commit/endpoint.hpp"
#include "exec/frame_header.hpp"
#include "exec/held_frame.hpp"

#include <dri/stream.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace dri::api {

namespace {

static_assert(int64_t{DRI_MAX_FRAME_BYTES} == exec::FrameHeader::max_bytes);

// Checks the user's DRI_Frame and makes the frame header from it. The library sets the number later.
exec::FrameHeader header_of(const DRI_Frame &frame, const commit::Endpoint &endpoint) {
    if (!endpoint.is_stream())
        fail(DRI_ERR_STATE,
             "transfer '{}' is not a stream, so its frames carry no DRI_Frame: set DRI_ATTR_STREAM on its source",
             endpoint.declaration().name);
    if (frame.bytes < 0 || frame.bytes > DRI_MAX_FRAME_BYTES)
        fail(DRI_ERR_ARG, "frame->bytes is {}, but must be 0 to {}", frame.bytes, int{DRI_MAX_FRAME_BYTES});
    // Reserved words must be 0, so that a later version can give them a meaning.
    for (const int32_t word : frame.reserved)
        if (word != 0)
            fail(DRI_ERR_ARG, "a word of frame->reserved is {}, but must be 0", word);
    exec::FrameHeader header;
    header.time_ns = frame.time_ns;
    header.bytes = frame.bytes;
    std::memcpy(header.data.data(), frame.data, static_cast<size_t>(frame.bytes));
    return header;
}

// Data beyond the bytes are zeros.
void write(const exec::FrameHeader &header, DRI_Frame &frame) {
    const auto bytes = static_cast<size_t>(header.bytes);
    frame.number = header.number;
    frame.time_ns = header.time_ns;
    frame.bytes = header.bytes;
    std::fill(std::begin(frame.reserved), std::end(frame.reserved), 0);
    std::memcpy(frame.data, header.data.data(), bytes);
    std::memset(frame.data + bytes, 0, sizeof frame.data - bytes);
}

// Both calls wait if done is null. buf may be NULL, because frame f uses buffer f modulo nbuffs: the caller may
// know the address already.
void acquire(const char *call, DRI_Xfer xfer, void **buf, int *done) {
    const auto endpoint = get_endpoint(xfer, commit::Role::source, call);
    if (done)
        *done = 0;
    void *const buffer = done ? endpoint->acquire<exec::Waits::no>() : endpoint->acquire<exec::Waits::yes>();
    if (!buffer)
        return;
    if (done)
        *done = 1;
    if (buf)
        *buf = buffer;
}

// The user's DRI_Frame is written only if a frame has arrived.
void extract(const char *call, DRI_Xfer xfer, void **buf, DRI_Frame *frame, int *done) {
    const auto endpoint = get_endpoint(xfer, commit::Role::sink, call);
    if (done)
        *done = 0;
    exec::FrameHeader header;
    void *const buffer =
        done ? endpoint->extract<exec::Waits::no>(header) : endpoint->extract<exec::Waits::yes>(header);
    if (!buffer)
        return;
    if (done)
        *done = 1;
    if (buf)
        *buf = buffer;
    if (frame)
        write(header, *frame);
}

} // namespace

} // namespace dri::api

extern "C" {

// Any thread may make the calls below. Two threads may not be inside the same transfer at the same time: the
// second one receives DRI_ERR_STATE, except from DRI_progress. Each call shares the endpoint. It therefore stays
// in memory if another thread destroys it meanwhile.
int DRI_acquire(DRI_Xfer xfer, void **buf) {
    return dri::api::guard("DRI_acquire", [&] { dri::api::acquire("DRI_acquire", xfer, buf, nullptr); });
}

int DRI_try_acquire(DRI_Xfer xfer, void **buf, int *done) {
    return dri::api::guard("DRI_try_acquire", [&] {
        dri::api::require_pointer(done, "done");
        dri::api::acquire("DRI_try_acquire", xfer, buf, done);
    });
}

int DRI_next(DRI_Xfer xfer, void **buf) {
    return dri::api::guard("DRI_next", [&] {
        void *const buffer = dri::api::get_endpoint(xfer, dri::commit::Role::source, "DRI_next")
                                 ->acquire<dri::exec::Waits::unless_held>();
        if (buf)
            *buf = buffer;
    });
}

int DRI_insert(DRI_Xfer xfer, const DRI_Frame *frame) {
    return dri::api::guard("DRI_insert", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer, dri::commit::Role::source, "DRI_insert");
        if (!frame)
            return endpoint->insert(nullptr);
        // Checked before the frame is handed over. If the header is wrong, the caller still holds the buffer.
        const dri::exec::FrameHeader header = dri::api::header_of(*frame, *endpoint);
        endpoint->insert(&header);
    });
}

int DRI_extract(DRI_Xfer xfer, void **buf, DRI_Frame *frame) {
    return dri::api::guard("DRI_extract", [&] { dri::api::extract("DRI_extract", xfer, buf, frame, nullptr); });
}

int DRI_try_extract(DRI_Xfer xfer, void **buf, DRI_Frame *frame, int *done) {
    return dri::api::guard("DRI_try_extract", [&] {
        dri::api::require_pointer(done, "done");
        dri::api::extract("DRI_try_extract", xfer, buf, frame, done);
    });
}

int DRI_xfer_get_frame(DRI_Xfer xfer, void **buf, DRI_Frame *frame) {
    return dri::api::guard("DRI_xfer_get_frame", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer, dri::commit::Role::sink, "DRI_xfer_get_frame");
        const dri::exec::HeldFrame held =
            dri::exec::held_frame(*endpoint->transfer(), endpoint->commitment().flow);
        if (buf)
            *buf = held.buffer;
        if (!frame)
            return;
        if (held.header)
            return dri::api::write(*held.header, *frame);
        *frame = {};
        frame->number = held.number;
    });
}

int DRI_release(DRI_Xfer xfer) {
    return dri::api::guard(
        "DRI_release", [&] { dri::api::get_endpoint(xfer, dri::commit::Role::sink, "DRI_release")->release(); });
}

int DRI_xfer_close(DRI_Xfer xfer) {
    return dri::api::guard("DRI_xfer_close", [&] {
        dri::api::get_endpoint(xfer, dri::commit::Role::source, "DRI_xfer_close")->close();
    });
}

int DRI_start(const char *name, DRI_Xfer xfer) {
    return dri::api::guard("DRI_start", [&] { dri::api::get_called(name, xfer).start(); });
}

int DRI_test(const char *name, DRI_Xfer xfer, int *done) {
    return dri::api::guard("DRI_test", [&] {
        const dri::api::Called called = dri::api::get_called(name, xfer);
        dri::api::require_pointer(done, "done");
        // Set first: a call that fails has not completed the frame.
        *done = 0;
        *done = called.test() ? 1 : 0;
    });
}

int DRI_wait(const char *name, DRI_Xfer xfer) {
    return dri::api::guard("DRI_wait", [&] { dri::api::get_called(name, xfer).wait(); });
}

// Leaves out a transfer that another thread uses at this moment: that thread moves its frames.
int DRI_progress(void) {
    return dri::api::guard("DRI_progress", [] { dri::api::session()->progress(); });
}
}
