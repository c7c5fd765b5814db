// The life of a session, and the collective calls. Each follows one pattern: a process keeps its local failure as
// an outcome, takes part in all steps, and at the end all processes agree on one outcome.
#include "commit/session.hpp"

#include "commit/agree_distribution.hpp"
#include "commit/settings.hpp"
#include "transport/memory_probe.hpp"

#include <algorithm>
#include <numeric>

namespace dri::commit {

namespace {

// A number and its noun, in the singular or plural form.
std::string counted(int64_t n, const char *one, const char *many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
}

} // namespace

// Settings are read from each process's environment and may differ. A wrong one on any process must fail on all of
// them.
Session::Session(std::unique_ptr<transport::Transport> transport)
    : transport_(std::move(transport)), set_up_time_(default_set_up_time) {
    const auto read_settings = [&] {
        log_ = make_log(rank());
        kernels_.find_isa();
        set_up_time_ = set_up_time();
        ways_ = allowed_ways();
    };
    const model::Group all = world();
    const transport::Outcome settings = outcome_of(read_settings, rank());
    agree_or_fail(party_of("DRI_init", all), settings);
    const std::vector<int> nodes = transport_->nodes();
    transport::NodeMemory memory =
        transport::find_shared_memory(*transport_, nodes, (ways_ & way_direct) != 0, "DRI_init", deadline());
    const auto sharing =
        std::count(memory.shared.begin(), memory.shared.end(), memory.shared[static_cast<size_t>(rank())]);
    log_->info("process {} of {}, kernels up to {}, shares memory with {}", rank(), size(), kernels_.isa_name(),
               counted(sharing - 1, "other", "others"));
    nodes_ = std::make_shared<planner::NodeMap>(nodes, std::move(memory.shared));
    readable_ = std::move(memory.readable);
    transport_->set_meanwhile([running = running_] { return running->step(); });
}

model::Group Session::world() const {
    std::vector<int> ranks(static_cast<size_t>(size()));
    std::iota(ranks.begin(), ranks.end(), 0);
    return model::Group(std::move(ranks));
}

model::Group Session::scope_of(const model::Group &asked) const {
    if (!asked.position(rank()))
        fail(DRI_ERR_ARG, "process {} is not in the scope {}", rank(), model::to_text(asked));
    return model::in_rising_order(asked);
}

std::shared_ptr<const model::Distribution>
Session::agree_on_distribution(const model::Group &asked, const std::function<model::Request()> &make) {
    if (!asked.position(rank()))
        fail(DRI_ERR_ARG, "process {} is not in the group {}", rank(), model::to_text(asked));
    const model::Group group = model::in_rising_order(asked);
    return commit::agree_on_distribution(party_of("DRI_dist_create", group), asked, make);
}

void Session::progress() {
    running_->progress();
    transport_->progress();
}

// While a thread of any process is in a call of an endpoint, the transport stays open: that call uses its memory.
// If this call is repeated, the others may have closed their transports meanwhile, and no longer take part in a
// step.
void Session::close(const std::function<void()> &started) {
    const model::Group everybody = world();
    Party party = party_of("DRI_finalize", everybody);
    const transport::Deadline until = deadline();
    started();
    const transport::Outcome mine = destroy_all();
    party.patience = until - transport::Clock::now();
    const auto is_closed = [&] { return mine.code == DRI_SUCCESS && transport_->finish_close(); };
    if (is_closed())
        return;
    try {
        agree_or_fail(party, mine);
    } catch (...) {
        if (is_closed())
            return;
        throw;
    }
    transport_->close(deadline());
}

// Sinks are destroyed first: the last frame of a source may wait for a sink of this process. Sources wait for half
// the time that other processes wait for this one.
transport::Outcome Session::destroy_all() {
    {
        const std::lock_guard lock(mutex_);
        size_t n = leaving_.size();
        for (const auto &[name, endpoints] : endpoints_)
            n += endpoints.size();
        leaving_.reserve(n);
        for (const auto &[name, endpoints] : endpoints_)
            leaving_.insert(leaving_.end(), endpoints.begin(), endpoints.end());
        endpoints_.clear();
    }
    const transport::Deadline until = transport::Clock::now() + set_up_time_ / 2;
    transport::Outcome outcome;
    for (const Role role : {Role::sink, Role::source})
        std::erase_if(leaving_, [&](const std::shared_ptr<Endpoint> &endpoint) {
            return endpoint->declaration().role == role && leaves(*endpoint, until, outcome);
        });
    running_->clear(); // not before: a source that waits also moves what others still send
    return outcome;
}

// A source that other processes have not read in time is given up: the session ends, and the warning in the log
// names such a process. Any other failure leaves the transfer broken, and a broken endpoint can be destroyed at
// the second try, unless another thread uses it.
bool Session::leaves(Endpoint &endpoint, transport::Deadline until, transport::Outcome &outcome) noexcept {
    transport::Outcome failure;
    const auto run = [&](auto steps) {
        failure = {};
        try {
            steps();
        } catch (...) {
            failure = {DRI_ERR_MEMORY, "out of memory", rank()}; // so short that it needs no allocation
            try {
                const Error error = current_error();
                log_->warn("close: {}", error.what());
                failure = {error.code(), error.what(), rank()};
            } catch (...) {
            }
        }
        return failure.code;
    };
    const auto destroy = [&] {
        if (!endpoint.is_destroyed())
            endpoint.destroy(until);
    };
    const DRI_Code code = run(destroy);
    if (code == DRI_ERR_TIMEOUT)
        run([&] { endpoint.transfer()->abandon(); });
    else if (code != DRI_SUCCESS)
        run(destroy);
    endpoint.let_thread_go();
    const bool gone = failure.code == DRI_SUCCESS;
    if (!gone && outcome.code == DRI_SUCCESS)
        outcome = std::move(failure);
    return gone;
}

// All endpoints of the process share one progress thread, also those of different commits.
std::shared_ptr<exec::ProgressThread> Session::thread_for(std::span<const std::shared_ptr<Endpoint>> endpoints) {
    const auto one =
        std::find_if(endpoints.begin(), endpoints.end(), [](const std::shared_ptr<Endpoint> &endpoint) {
            return endpoint->declaration().attributes.progress_thread != 0;
        });
    if (one == endpoints.end())
        return nullptr;
    if (!transport_->takes_any_thread())
        fail(DRI_ERR_UNSUPPORTED,
             "transfer '{}': the {} has DRI_ATTR_PROGRESS_THREAD, but MPI runs with a thread level below "
             "MPI_THREAD_MULTIPLE, which DRI_init requests",
             (*one)->declaration().name, role_name((*one)->declaration().role));
    auto thread = thread_.lock();
    if (!thread)
        thread_ = thread = std::make_shared<exec::ProgressThread>(running_, transport_);
    return thread;
}

// The agreement of all processes is the last step in which they fail together. Up to there nothing is visible to
// other calls. The steps after it must not fail on one process alone, so memory for the list is reserved before.
void Session::commit(const model::Group &asked) {
    const model::Group scope = scope_of(asked);
    const auto start = transport::Clock::now();
    const Party party = party_of("DRI_commit", scope);
    const PinnedEndpoints pinned(*this);
    const auto &mine = pinned.endpoints();
    const Committer committer{party, mine, distributions(), nodes_};
    Pipeline pipeline(committer, readable_, counters_);
    pipeline.size(Pipeline::Purpose::commit);
    exec::KernelChooser chooser(kernels_);
    pipeline.bind({chooser, pool_, transport_});
    exec::Running::List transfers;
    std::shared_ptr<exec::Running::List> list;
    std::shared_ptr<exec::ProgressThread> thread;
    pipeline.run([&] {
        for (const Bound &bound : pipeline.bound())
            transfers.push_back(bound.transfer);
        list = running_->reserve_list(transfers.size());
        thread = thread_for(mine);
    });
    pipeline.agree_or_fail();
    pipeline.keep_tags();
    for (const Bound &bound : pipeline.bound()) // all pullers have opened the source by now
        bound.transfer->close_file();

    const double seconds = std::chrono::duration<double>(transport::Clock::now() - start).count();
    for (const Bound &bound : pipeline.bound())
        for (const auto &[endpoint, flow] : bound.members)
            endpoint->attach(bound.transfer, flow, seconds,
                             endpoint->declaration().attributes.progress_thread ? thread : nullptr);
    running_->add(transfers, std::move(list));
    report_commit(scope, pipeline.bound(), seconds, chooser);
}

// A process whose `get` has failed takes part in all steps, because the others cannot know.
std::vector<Session::Answer> Session::query(const model::Group &asked,
                                            const std::function<std::vector<std::shared_ptr<Endpoint>>()> &get) {
    const model::Group scope = scope_of(asked);
    const Party party = party_of("DRI_xfer_query", scope);
    const PinnedEndpoints pinned(*this);
    std::vector<std::shared_ptr<Endpoint>> endpoints;
    const auto get_endpoints = [&] {
        endpoints = get();
        for (const auto &endpoint : endpoints) {
            const Declaration &d = endpoint->declaration();
            if (endpoint->committed())
                fail(DRI_ERR_STATE, "transfer '{}' is committed: DRI_xfer_get_info reports what it uses", d.name);
            // A thread that destroys an endpoint removes it from the session a moment before its handle.
            if (!pinned.has(endpoint))
                fail(DRI_ERR_HANDLE, "the {} of transfer '{}' has been destroyed by another thread",
                     role_name(d.role), d.name);
        }
    };
    transport::Outcome before = outcome_of(get_endpoints, rank());
    const Committer committer{party, pinned.endpoints(), distributions(), nodes_};
    Pipeline pipeline(committer, readable_, counters_, std::move(before));
    pipeline.size(Pipeline::Purpose::query);
    std::vector<Answer> answers;
    pipeline.run([&] { answers = pipeline.answer(endpoints); });
    pipeline.agree_or_fail();
    return answers;
}

// The commit has succeeded on all processes. A line that cannot be written, for lack of memory, changes nothing.
void Session::report_commit(const model::Group &scope, std::span<const Bound> bound, double seconds,
                            const exec::KernelChooser &chooser) const noexcept {
    try {
        if (log_->should_log(spdlog::level::debug))
            for (const Bound &one : bound)
                for (const auto &[endpoint, flow] : one.members)
                    log_->debug("commit: {}", endpoint->explain());
        log_->info("commit over {}: {} here, {:.3f} ms, of which {:.3f} ms to measure {}",
                   counted(scope.size(), "process", "processes"),
                   counted(std::ssize(bound), "transfer", "transfers"), seconds * 1e3, chooser.seconds() * 1e3,
                   counted(chooser.measured(), "copy", "copies"));
    } catch (...) {
    }
}

} // namespace dri::commit
