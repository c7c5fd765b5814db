// One end of a transfer from its declaration on: what the user said, and the running transfer once committed.
#pragma once

#include "exec/progress_thread.hpp"
#include "model/distribution.hpp"
#include "model/layout.hpp"
#include "model/strips.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace dri {

enum class Role : int32_t { source = 1, sink = 2 };

enum Way : int64_t { way_self = 1, way_message = 2, way_direct = 4, all_ways = 7 };

constexpr int64_t max_threads = 1024;
constexpr int64_t no_limit = INT64_MAX;

// What an end may say about how a transfer runs. Of ways and message_bytes the most restrictive of all ends holds;
// stream is the source's, drop, convert and scale are a sink's, and all processes of that side say the same;
// threads, share_bytes, measuring and timeout_ms and the workspace limit are the process's own affair; of the
// limit the others hear what becomes of it.
struct Attributes {
    int64_t ways = all_ways;
    int64_t message_bytes = max_message_bytes;
    int64_t stream = 0;  // sources: 1: frames have headers
    int64_t drop = 0;    // sinks: 1: they miss frames rather than hold the source back
    int64_t convert = 0; // 1: the sink's type may differ from the source's
    double scale = 1;
    int64_t threads = 1;
    int64_t share_bytes = default_share_bytes;
    int64_t measure = 0;                // 1: kernels are measured at the commit
    int64_t workspace_limit = no_limit; // in bytes, of this process's end
    int64_t timeout_ms = 0;             // of a wait for a frame; 0: none
    int64_t in_place = 0;               // 1: source and sink share their buffers; all ends of a name say the same
    int64_t progress_thread = 0;        // 1: a thread moves frames on beside the caller's
    int64_t rebase = 0; // bit d: the window slides along dimension d; all processes of the end say the same
};

struct Declaration {
    std::string name;
    Role role = Role::source;
    std::shared_ptr<const Distribution> dist;
    Layout layout;
    std::vector<void *> buffers; // null: the library's
    Attributes attributes;
    Strips strips{}; // dist is the first one's
};

// declared -> committed -> destroyed.
class Endpoint {
public:
    // ways: those that the process allows. Fails with DRI_ERR_ARG where the declaration cannot be right, whatever
    // the other ends are.
    Endpoint(Declaration declaration, int rank, int64_t ways = all_ways);

    const Declaration &declaration() const { return declaration_; }
    int64_t buffer_bytes() const { return buffer_bytes_; } // of strips, those of one
    // What the library reserves for one of the buffers: of a sink of strips, the store of them all.
    int64_t reserved_bytes() const;
    // Frames that come to a sink together.
    int64_t strips_together() const;
    std::shared_ptr<const Distribution> strip(int64_t k) const; // fails with DRI_ERR_ARG where there is none
    // What attach() sets may be read once this is true, by any thread.
    bool committed() const { return committed_.load(std::memory_order_acquire); }

    void set_attributes(const Attributes &attributes); // before the commit
    // Whether a commit or a query has this end. The caller holds the session's lock.
    bool is_pinned() const { return pins_ > 0; }
    void add_pins(int more) { pins_ += more; }
    // What the other processes are told: the ways without those that the process forbids.
    Attributes attributes() const;
    // thread: that this end keeps; null where it wants none.
    void attach(std::shared_ptr<LocalTransfer> transfer, size_t flow, double commit_seconds,
                std::shared_ptr<ProgressThread> thread);
    EndpointSet endpoints() const; // this one of the transfer's; fails with DRI_ERR_STATE before the commit
    void run() { transfer()->execute(endpoints()); }
    void rebase(const int64_t *offset); // one number per dimension
    // Fails with DRI_ERR_STATE while another thread destroys it, and once it is destroyed; may be repeated where
    // it has failed otherwise.
    void destroy();
    void let_thread_go();

    const std::shared_ptr<LocalTransfer> &transfer() const; // fails with DRI_ERR_STATE before the commit
    const EndpointState &state() const;
    size_t flow() const { return flow_; }
    double commit_seconds() const { return commit_seconds_; }
    std::string explain() const;

private:
    Declaration declaration_;
    int64_t ways_;
    int64_t buffer_bytes_ = 0;
    int pins_ = 0;
    std::atomic<bool> committed_ = false;
    std::shared_ptr<LocalTransfer> transfer_;
    size_t flow_ = 0; // sink: which of the transfer's
    double commit_seconds_ = 0;
    std::atomic<bool> going_ = false; // some thread destroys it, or has done so
    std::mutex thread_mutex_;         // guards what follows
    std::shared_ptr<ProgressThread> thread_;
};

const char *role_name(Role role);

} // namespace dri
