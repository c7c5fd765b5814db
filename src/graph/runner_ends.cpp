// What goes with a frame: its end of stream, failures of calls, and the DRI_Frame.
#include "graph/runner.hpp"

#include "base/failures.hpp"

#include <algorithm>
#include <cstring>

namespace dri::graph {

namespace {

// How long a process that gives up tries to say why.
constexpr std::chrono::milliseconds longest_farewell(500);

int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

// Who ended the stream, for messages.
std::string ender(int32_t ended_by) {
    return ended_by > 0 ? fmt::format("process {}", ended_by - 1) : "the source of a transfer";
}

} // namespace

void fill_header(const CarrierEnd &end, int slot, const FrameInFlight &frame, bool is_stream) {
    CarrierHeader &header = end.header(slot);
    header = {};
    header.frame = frame.number;
    header.number = frame.about.number;
    header.ended_by = frame.ended_by;
    header.alive_by = frame.alive_by;
    if (!is_stream)
        return;
    header.time_ns = frame.about.time_ns ? frame.about.time_ns : now_ns();
    header.bytes = std::clamp(frame.about.bytes, 0, int{DRI_MAX_FRAME_BYTES});
    std::memcpy(end.header_data(slot), frame.about.data, static_cast<size_t>(header.bytes));
}

void Runner::call(FrameInFlight &frame, int call) {
    const GraphCall &called = plan_.body().call(call);
    const int slot = slot_of(frame.number);
    const bool is_first = called.in.empty();
    DRI_Call given{frame.number,
                   &frame.about,
                   static_cast<int>(called.out.size()),
                   static_cast<int>(called.in.size()),
                   pointers_.out(slot, call),
                   pointers_.in(slot, call),
                   {}};
    const int64_t reported = thread_failures.count;
    const int code = called.fn(called.context, &given);
    if (code == DRI_SUCCESS) [[likely]] {
        if (is_first && options_.is_stream) {
            frame.alive_by = plan_.rank() + 1;
            if (frame.about.time_ns == 0)
                frame.about.time_ns = now_ns();
            check_ends(frame);
        }
        return;
    }
    if (code == DRI_END_OF_STREAM && is_first && options_.is_stream) {
        frame.ended_by = plan_.rank() + 1;
        check_ends(frame);
        return;
    }
    CarrierHeader told{};
    told.failed_on = plan_.rank() + 1;
    told.frame = frame.number;
    called.name.copy(told.call, sizeof told.call - 1);
    const std::string what = fmt::format("the call '{}' in frame {}", called.name, frame.number);
    told.code = is_failure(code) ? code : int{DRI_ERR_ARG};
    if (code == DRI_END_OF_STREAM) {
        told.code = DRI_ERR_STATE;
        break_run(DRI_ERR_STATE,
                  what + " ended the stream, but " + (is_first ? "the plan is no stream" : "it has inputs"), told);
    }
    if (!is_failure(code))
        break_run(DRI_ERR_ARG, what + fmt::format(" returned {}, which is no code", code), told);
    break_run(code,
              what +
                  " failed: " + (thread_failures.count == reported ? DRI_error_string(code) : DRI_error_message()),
              told);
}

void Runner::check_ends(const FrameInFlight &frame) {
    if (frame.ended_by == 0 || frame.alive_by == 0 || frame.ended_by == frame.alive_by)
        return;
    CarrierHeader told{};
    told.failed_on = plan_.rank() + 1;
    told.code = DRI_ERR_MISMATCH;
    told.frame = frame.number;
    break_run(DRI_ERR_MISMATCH,
              fmt::format("{} has ended the stream before frame {}, but process {} goes on", ender(frame.ended_by),
                          frame.number, frame.alive_by - 1),
              told);
}

void Runner::read_header(FrameInFlight &frame, const CarrierEnd &end, const std::byte *buffer) {
    const auto &header = *reinterpret_cast<const CarrierHeader *>(buffer);
    if (header.failed_on != 0) {
        const std::string what =
            header.call[0] ? fmt::format("the call '{}' of process {} failed in frame {}", header.call,
                                         header.failed_on - 1, header.frame)
                           : fmt::format("process {} gave up in frame {}", header.failed_on - 1, header.frame);
        break_run(DRI_ERR_STATE, what + " with " + DRI_error_string(header.code), header);
    }
    if (header.ended_by != 0 && frame.ended_by <= 0)
        frame.ended_by = header.ended_by;
    if (header.alive_by != 0)
        frame.alive_by = header.alive_by;
    check_ends(frame);
    if (!frame.is_about_of_part) {
        frame.is_about_of_part = true;
        frame.about.number = header.number;
        if (options_.is_stream) {
            frame.about.time_ns = header.time_ns;
            frame.about.bytes = header.bytes;
            std::memset(frame.about.data, 0, sizeof frame.about.data);
            std::memcpy(frame.about.data, end.header_data(slot_of(frame.number)),
                        static_cast<size_t>(header.bytes));
        }
    }
}

// Whoever has got this frame before the end was known here learns of it in place of the next frame that goes
// there.
void Runner::flush_end(int64_t frame, int32_t ended_by) {
    FrameInFlight next;
    next.ended_by = ended_by;
    for (CarrierEnd &end : ends_) {
        if (!end.carrier().is_source)
            continue;
        if (end.carrier().is_port) {
            end.close();
            continue;
        }
        const int64_t last = end.inserted() - 1; // a younger frame may have gone already
        if (last < frame || end.header(slot_of(last)).ended_by != 0)
            continue;
        next.number = last + 1;
        const int code = end.acquire(next.number, true).code;
        if (code == DRI_ERR_TIMEOUT)
            fail_step(next, end, code);
        if (code != DRI_SUCCESS)
            continue; // the other process has left the plan
        fill_header(end, slot_of(next.number), next, options_.is_stream);
        end.insert(nullptr);
    }
}

void Runner::fail_step(const FrameInFlight &frame, const CarrierEnd &end, int code) {
    const int peer = end.carrier().peer;
    const std::string what =
        fmt::format("{} of frame {}{}: {}", end.carrier().text(plan_.operations()), frame.number,
                    peer < 0 ? "" : fmt::format(" with process {}", peer), DRI_error_message());
    if (code == DRI_ERR_TIMEOUT)
        fail(DRI_ERR_TIMEOUT, "{}", what);
    CarrierHeader told{};
    told.failed_on = plan_.rank() + 1;
    told.code = code;
    told.frame = frame.number;
    break_run(code, what, told);
}

// told is a copy: the header that came may lie in a buffer that goes with its sink.
void Runner::break_run(int code, const std::string &why, CarrierHeader told) {
    broken_ = why;
    // A function of the user's may still show what it has, also what it has sent.
    for (CarrierEnd &end : ends_) {
        end.keep();
        if (end.kept())
            plan_.keep(end.kept());
    }
    plan_.keep(pointers_.memory());
    // Whoever sends to this process must not wait for it. A port cannot say more than that it is gone.
    for (CarrierEnd &end : ends_)
        if (!end.carrier().is_source || end.carrier().is_port)
            end.abandon();
    const auto deadline = std::chrono::steady_clock::now() + longest_farewell;
    for (CarrierEnd &end : ends_)
        if (end.carrier().is_source && !end.carrier().is_port && !end.insert_last(told, deadline))
            end.abandon();
    fail(static_cast<DRI_Code>(code), "{}", why);
}

} // namespace dri::graph
