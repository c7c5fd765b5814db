// One endpoint of a transfer from its declaration to its destruction: what the user declared, and the running
// transfer once it is committed.
#pragma once

#include "commit/attributes.hpp"
#include "exec/parting.hpp"
#include "exec/progress_thread.hpp"
#include "model/distribution.hpp"
#include "model/layout.hpp"
#include "model/strips.hpp"
#include "transport/transport.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dri::commit {

// The endpoints that a call moves: the one it is made for, or all of its transfer on this process.
enum class Moves { endpoint, all_of_name };

class Endpoint;

struct Declaration {
    std::string name;
    Role role = Role::source;
    std::shared_ptr<const model::Distribution> dist;
    model::Layout layout;
    std::vector<void *> buffers; // null: the library provides the buffer
    Attributes attributes;
    model::Strips strips{};                // if there are any, dist is the distribution of the first strip
    std::shared_ptr<Endpoint> companion{}; // without a handle of its own; destroyed with this endpoint

    int64_t num_buffers() const { return std::ssize(buffers); }
};

// A name means the endpoints that a commit of all has committed, before those that were committed as a selection.
enum class CommittedBy : uint8_t { all, selection };

// What a commit gives an endpoint.
struct Commitment {
    std::shared_ptr<exec::LocalTransfer> transfer;
    size_t flow = 0; // sink: its index among the transfer's flows
    CommittedBy by = CommittedBy::all;
    double seconds = 0; // that the commit has taken
};

enum class Life { there, going, gone }; // going: a thread destroys the endpoint

// The states are declared -> committed -> destroyed. A commit that fails leaves the endpoint declared.
class Endpoint {
public:
    // ways: those that the process allows (DRI_WAYS). mapped: whether other processes can map the user's buffers.
    // Fails with DRI_ERR_ARG if the declaration is wrong whatever the other endpoints declare.
    Endpoint(Declaration declaration, int rank, int64_t ways = all_ways, bool mapped = true);

    const Declaration &declaration() const { return declaration_; }
    int64_t buffer_bytes() const { return buffer_bytes_; } // with strips: of one strip
    // Bytes that the library reserves for one buffer. For a sink with strips that is the store of all strips.
    int64_t reserved_bytes() const;
    // Number of frames that arrive at a sink together: its strips. 1 for a source, and without strips.
    int64_t strips_together() const;
    std::shared_ptr<const model::Distribution>
    strip(int64_t k) const; // fails with DRI_ERR_ARG if there is no strip k
    // Once this is true, any thread may read what attach() sets.
    bool committed() const { return committed_.load(std::memory_order_acquire); }

    void set_attributes(const Attributes &attributes); // before the commit
    // Whether a commit or a query holds this endpoint. The caller of both functions holds the session's lock.
    bool is_pinned() const { return pins_ > 0; }
    void add_pins(int more) { pins_ += more; }
    // The attributes that are sent to other processes: the ways are without those that the process forbids, or
    // that its buffers rule out.
    Attributes attributes() const;
    // Commits the endpoint. thread: the progress thread that it keeps; null if it requests none.
    void attach(Commitment commitment, std::shared_ptr<exec::ProgressThread> thread);
    // The calls that move frames: those of exec::LocalTransfer. They fail with DRI_ERR_STATE before the commit.
    void execute(Moves moves) { transfer()->execute(endpoints(moves)); }
    void start(Moves moves) { transfer()->start(endpoints(moves)); }
    bool test(Moves moves) { return transfer()->test(endpoints(moves)); }
    void wait(Moves moves) { transfer()->wait(endpoints(moves)); }
    template <exec::Waits waits> void *acquire() { return transfer()->acquire<waits>(); }
    void insert(const exec::FrameHeader *header) { transfer()->insert(header); }
    template <exec::Waits waits> void *extract(exec::FrameHeader &header) {
        return transfer()->extract<waits>(commitment_.flow, header);
    }
    void release() { transfer()->release(commitment_.flow); }
    void close() { transfer()->close_source(); }
    exec::EndpointSet endpoints(Moves moves) const {
        if (moves == Moves::all_of_name)
            return transfer()->all_endpoints();
        return declaration_.role == Role::source ? transfer()->source_endpoint()
                                                 : transfer()->sink_endpoint(commitment_.flow);
    }
    void rebase(const int64_t *offset); // one number per dimension
    void set_timeout(int64_t ms);       // after the commit
    // Does nothing before the commit. Fails with DRI_ERR_STATE while another thread destroys the endpoint, and
    // once it is destroyed. After any other failure it may be called again. A source waits at most until the
    // deadline. One that takes back does not fail then.
    void destroy(transport::Deadline until, exec::Parting parting = exec::Parting::waits);
    bool is_destroyed() const { return life_.load(std::memory_order_acquire) == Life::gone; }
    void let_thread_go(); // releases the progress thread, which stops with the last endpoint that keeps it

    // What a committed endpoint has and has done. These fail with DRI_ERR_STATE before the commit.
    const std::shared_ptr<exec::LocalTransfer> &transfer() const {
        if (!committed())
            fail_uncommitted();
        return commitment_.transfer;
    }
    const Commitment &commitment() const { return commitment_; } // empty before the commit
    const exec::EndpointState &state() const;
    exec::Progress progress() const;
    // The frame that the caller works on: the source's oldest acquired one, or the last one that arrived at the
    // sink. Fails with DRI_ERR_STATE if there is none.
    int64_t current_frame() const;
    bool is_stream() const { return transfer()->ledgers().source->terms().stream; } // of a source
    std::string explain() const;

private:
    [[noreturn]] void fail_uncommitted() const;

    Declaration declaration_;
    int64_t ways_;
    bool mapped_;
    int64_t buffer_bytes_ = 0;
    int pins_ = 0;
    std::atomic<bool> committed_ = false;
    Commitment commitment_;
    std::atomic<Life> life_ = Life::there;
    std::mutex thread_mutex_; // guards thread_
    std::shared_ptr<exec::ProgressThread> thread_;
};

inline bool is_committed_by_all(const std::shared_ptr<Endpoint> &endpoint) {
    return endpoint->committed() && endpoint->commitment().by == CommittedBy::all;
}

// The frame that the caller works on, as in current_frame(); nothing if there is none, also before the commit.
std::optional<int64_t> frame_in_hand(const Endpoint &endpoint);

} // namespace dri::commit
