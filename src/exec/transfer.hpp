// The endpoints of one transfer that a process holds, and the calls that move their frames: guard, admit, move,
// count.
#pragma once

#include "exec/breakage.hpp"
#include "exec/frame_wait.hpp"
#include "exec/parting.hpp"
#include "exec/transfer_use.hpp"
#include "flow/call.hpp"
#include "transport/transport.hpp"

#include <optional>
#include <string>
#include <vector>

namespace dri::exec {

// What a thread that polls for another one found.
struct PollResult {
    bool stepped = false;
    bool in_use = false;    // a call uses the transfer or waits to use it
    bool under_way = false; // frames are handed over, but they or their messages have not left yet

    void add(const PollResult &other) {
        stepped |= other.stepped;
        in_use |= other.in_use;
        under_way |= other.under_way;
    }
};

using EndpointSet = flow::CallEndpoints; // for those who call a transfer
enum class Waits : uint8_t { no, yes, unless_held };

class LocalTransfer {
public:
    LocalTransfer(std::string name, std::optional<SourceEnd> source, std::vector<Flow> flows,
                  std::shared_ptr<transport::Transport> transport);

    // All endpoints of this process.
    flow::CallEndpoints all_endpoints() const { return flow::CallEndpoints::all(parts_.ledgers); }
    static flow::CallEndpoints source_endpoint() { return {.source = true}; }
    static flow::CallEndpoints sink_endpoint(size_t flow) { return flow::CallEndpoints::of_sink(flow); }

    // The two halves of a frame: see flow/call.hpp. First halves never wait.
    //
    // All calls fail with DRI_ERR_STATE, and nothing is done, if
    // - the transfer is broken, or another thread uses it,
    // - the endpoint is destroyed,
    // - the caller holds no buffer to insert or release,
    // - all sinks of the source are destroyed, or a source that the sink's frame needs is destroyed.
    //
    // Calls with a second half also fail
    // - with DRI_ERR_DEADLOCK, and nothing is done, if only this process could end the wait,
    // - with DRI_ERR_TIMEOUT; the call continues where it stopped when it is repeated,
    // - with DRI_END_OF_STREAM, for a sink whose source has closed the stream; the release is done then.
    //
    // A frame that fails half-way for another reason breaks the transfer.
    void insert(const FrameHeader *header); // null: the header has no bytes, and the current time
    // Without a wait both return null if one is needed, and never fail with DRI_ERR_DEADLOCK or DRI_ERR_TIMEOUT.
    // The sink then takes its next frame as soon as that arrives. unless_held: acquire() returns the oldest buffer
    // that the caller holds, and acquires only if there is none.
    template <Waits waits = Waits::yes> void *acquire();
    template <Waits waits = Waits::yes> void *extract(size_t flow, FrameHeader &header);
    void release(size_t flow);
    // Both halves. Endpoints that are started do the second half only.
    void execute(flow::CallEndpoints endpoints);
    void start(flow::CallEndpoints endpoints);
    bool test(flow::CallEndpoints endpoints); // whether the frame is done; does not wait
    void wait(flow::CallEndpoints endpoints);
    // Both move one endpoint, for all frames that are handed over, or waited for, from now on: its window, or its
    // buffer. rebase() fails with DRI_ERR_ARG if the window would leave the array. Both fail with DRI_ERR_STATE if
    // the commit has not permitted it. where: as in SourceHandle, if pullers can map the buffer.
    void rebase(const flow::CallEndpoints &endpoint, std::span<const int64_t> offset);
    void rebind(const flow::CallEndpoints &endpoint, std::byte *buffer, const transport::Elsewhere &where);
    // How long calls that begin from now on wait; 0: for ever.
    void set_timeout(const flow::CallEndpoints &endpoint, std::chrono::milliseconds timeout);
    // The library's buffers of an endpoint, to be kept as long as anybody holds them.
    std::vector<std::shared_ptr<const void>> keep(const flow::CallEndpoints &endpoint);
    // Closes the stream after the inserted frames. Does not wait.
    void close_source();
    // Takes all steps that are possible now (progress) or one (step), and returns whether there was one. Does
    // nothing while another thread is in a call, or waits to enter one. A failure breaks the transfer.
    bool progress() noexcept;
    bool step() noexcept;
    PollResult poll_step() noexcept; // takes one step and reports what else it found

    // Marks an endpoint as destroyed, notifies the other processes, and frees the endpoint's memory. Fails with
    // DRI_ERR_STATE if a frame that it handed over would be lost, or while another thread is inside a frame. Also
    // throws a failure that a helper found, if no call has reported it yet. Destroying a source waits for staging
    // that its last messages need, and for pullers that read its frames in the user's memory. After the deadline
    // it fails with DRI_ERR_TIMEOUT. A source that takes back waits for these pullers, too, but does not fail:
    // messages that are not sent, and frames that a puller has not pulled, are lost then.
    void destroy_source(transport::Deadline until, Parting parting = Parting::waits);
    void destroy_sink(size_t flow);
    // Breaks the transfer: no thread takes a step for it any more. Fails with DRI_ERR_STATE while another thread
    // is in a call of it.
    void break_off();

    // Called when all pullers have opened the source's buffers.
    void close_file();

    const std::string &name() const { return parts_.name; }
    const flow::Ledgers &ledgers() const { return parts_.ledgers; }
    const SourceEnd &source() const { return *parts_.source; }
    const SinkEnd &sink(size_t flow) const { return *parts_.flows[flow].sink; }
    const std::vector<Flow> &flows() const { return parts_.flows; }
    Progress source_progress() const;
    Progress sink_progress(size_t flow) const;

private:
    class CallGuard; // holds the transfer for one call; marks it broken if the call fails half-way

    void break_with(const Error &error);

    void finish(const char *name, const flow::Call &call, CallGuard &guard);  // name: of the program's call
    [[gnu::noinline]] bool attempt(const flow::Call &call, CallGuard &guard); // whether it is done

    void note_failure() noexcept;             // keeps the exception that is being handled
    enum class LooksFor { steps, sends_too }; // sends_too: also whether messages still have to leave
    PollResult poll(size_t max_steps, LooksFor what) noexcept;

    TransferUse use_;
    Breakage breakage_;
    TransferParts parts_;
    Engine engine_{parts_};
    FrameWait wait_{parts_, engine_};
};

} // namespace dri::exec
