// The start of a session, and the collective calls. Each follows one pattern: a process keeps its local failure as
// an outcome, takes part in all steps, and at the end all processes agree on one outcome.
#include "commit/session.hpp"

#include "base/common_settings.hpp"
#include "commit/agree_distribution.hpp"
#include "commit/settings.hpp"
#include "commit/user_buffers.hpp"
#include "transport/collective.hpp"
#include "transport/memory_probe.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace dri::commit {

namespace {

// A number and its noun, in the singular or plural form.
std::string counted(int64_t n, const char *one, const char *many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
}

// The names of the endpoints that the processes of the party ask about.
std::set<std::string, std::less<>> names_in_question(const Party &party, const EndpointList &mine) {
    Writer content;
    for (const auto &endpoint : mine)
        content.put(std::string_view(endpoint->declaration().name));
    std::set<std::string, std::less<>> names;
    for (const Bytes &bytes : transport::all_gather(party.transport, party.step("compare names"), content.take()))
        for (Reader in(bytes); !in.done();)
            names.insert(in.get_string());
    return names;
}

// What any process wants, all do: with different answers they would wait for each other.
struct WantedByAny {
    bool no_bulk = false, check = false;
    template <class F> static void fields(F f) {
        f(&WantedByAny::no_bulk, transport::Any{});
        f(&WantedByAny::check, transport::Any{});
    }
};

void agree_on_common_settings(const Party &party, const WantedByAny &mine) {
    const WantedByAny all = transport::agree_on(party.transport, party.step("compare settings"), mine);
    common_settings.bulk = !all.no_bulk;
    common_settings.check = all.check;
}

} // namespace

// Settings are read from each process's environment and may differ. A wrong one on any process must fail on all of
// them.
Session::Session(std::unique_ptr<transport::Transport> transport,
                 std::shared_ptr<const transport::UserMemory> user_memory)
    : transport_(std::move(transport)), user_memory_(std::move(user_memory)), set_up_time_(default_set_up_time) {
    WantedByAny wanted;
    const auto read_settings = [&] {
        log_ = make_log(rank());
        kernels_.find_isa();
        set_up_time_ = set_up_time();
        ways_ = allowed_ways();
        timeout_ = default_timeout();
        wanted = {.no_bulk = no_bulk(), .check = checks_calls()};
        set_reports();
    };
    const model::Group all = world();
    const transport::Outcome settings = outcome_of(read_settings, rank());
    agree_or_fail(party_of("DRI_init", all), settings);
    agree_on_common_settings(party_of("DRI_init", all), wanted);
    const std::vector<int> nodes = transport_->nodes();
    transport::NodeMemory memory =
        transport::find_shared_memory(*transport_, nodes, (ways_ & way_direct) != 0, "DRI_init", deadline());
    const auto sharing =
        std::count(memory.shared.begin(), memory.shared.end(), memory.shared[static_cast<size_t>(rank())]);
    log_->info("process {} of {}, kernels up to {}, shares memory with {}", rank(), size(), kernels_.isa_name(),
               counted(sharing - 1, "other", "others"));
    nodes_ = std::make_shared<planner::NodeMap>(nodes, std::move(memory.shared));
    readable_ = std::move(memory.readable);
    transport_->presence().set_board(std::move(memory.board));
    transport_->set_meanwhile([running = running_] { return running->step(); });
}

void Session::set_reports() {
    if (const auto after = report_time())
        transport_->presence().set_reports(
            {.after = *after, .write = [log = log_](const std::string &text) { log->warn("{}", text); }});
}

model::Group Session::world() const {
    std::vector<int> ranks(static_cast<size_t>(size()));
    std::iota(ranks.begin(), ranks.end(), 0);
    return model::Group(std::move(ranks));
}

model::Group Session::members_of(const model::Group &asked, const char *what) const {
    if (!asked.position(rank()))
        fail(DRI_ERR_ARG, "process {} is not in the {} {}", rank(), what, model::to_text(asked));
    return model::in_rising_order(asked);
}

std::shared_ptr<const model::Distribution>
Session::agree_on_distribution(const model::Group &asked, const std::function<model::Request()> &make) {
    const model::Group group = members_of(asked, "group");
    return commit::agree_on_distribution(party_of("DRI_dist_create", group), asked, make);
}

GatheredBytes Session::gather(const model::Group &asked, const std::function<Brought()> &make) {
    const model::Group group = members_of(asked, "group");
    return commit::gather(party_of("DRI_group_gather", group), asked, make);
}

void Session::progress() { running_->progress_all(*transport_); }

std::shared_ptr<Endpoint> Session::declare(Declaration declaration) {
    declaration.attributes.timeout_ms = timeout_.count();
    const bool mapped = can_be_mapped(declaration.buffers, *user_memory_);
    auto endpoint = std::make_shared<Endpoint>(std::move(declaration), rank(), ways_, mapped);
    endpoints_.add(endpoint);
    return endpoint;
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

void Session::commit(const model::Group &asked) {
    const model::Group scope = members_of(asked, "scope");
    const Party party = party_of("DRI_commit", scope);
    PinnedEndpoints pinned(endpoints_);
    commit_pinned(party, CommittedBy::all, pinned, outcome_of([&] { pinned.pin_all(); }, rank()));
}

// A process whose `get` has failed takes part in the steps, because the others cannot know.
void Session::commit(const model::Group &asked, std::string_view call, const GetEndpoints &get) {
    const model::Group scope = members_of(asked, "scope");
    const Party party = party_of(call, scope);
    PinnedEndpoints pinned(endpoints_);
    commit_pinned(party, CommittedBy::selection, pinned, outcome_of([&] { pinned.pin(get()); }, rank()));
}

// One party takes all steps, so that no other thread's call comes between them.
EndpointList Session::create(const model::Group &asked, std::string_view call, const WholeTransfer &whole) {
    const model::Group group = members_of(asked, "group");
    const Party party = party_of(call, group);
    Distributions dists;
    for (const auto &request : whole.requests)
        dists.push_back(commit::agree_on_distribution(party, asked, request));
    EndpointList made;
    const auto keep = [&](Declaration declaration) { return made.emplace_back(declare(std::move(declaration))); };
    try {
        PinnedEndpoints pinned(endpoints_);
        const auto declare_all = [&] {
            whole.declare(dists, keep);
            pinned.pin(made);
        };
        commit_pinned(party, CommittedBy::selection, pinned, outcome_of(declare_all, rank()));
    } catch (...) {
        for (const auto &endpoint : made)
            forget(endpoint);
        throw;
    }
    return made;
}

// The agreement of all processes is the last step in which they fail together. Up to there nothing is visible to
// other calls. The steps after it must not fail on one process alone, so memory for the list is reserved before.
void Session::commit_pinned(const Party &party, CommittedBy by, const PinnedEndpoints &pinned,
                            transport::Outcome before) {
    const auto start = transport::Clock::now();
    const auto &mine = pinned.endpoints();
    const auto others = pinned.others();
    const Committer committer{party, mine, endpoints_.distributions(), nodes_, others, std::move(before)};
    Pipeline pipeline(committer, {readable_, *user_memory_}, counters_);
    pipeline.size(Pipeline::Purpose::commit);
    exec::KernelChooser chooser(kernels_);
    pipeline.bind({chooser, pool_, transport_, opened_});
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
            endpoint->attach({bound.transfer, flow, by, seconds},
                             endpoint->declaration().attributes.progress_thread ? thread : nullptr);
    running_->add(transfers, std::move(list));
    report_commit(party.group, pipeline.bound(), seconds, chooser);
}

// A process whose `get` has failed takes part in all steps, because the others cannot know.
std::vector<Session::Answer> Session::query(const model::Group &asked, const GetEndpoints &get) {
    const model::Group scope = members_of(asked, "scope");
    const Party party = party_of("DRI_xfer_query", scope);
    PinnedEndpoints pinned(endpoints_);
    EndpointList endpoints;
    transport::Outcome before = outcome_of([&] { endpoints = get(); }, rank());
    const std::set<std::string, std::less<>> names = names_in_question(party, endpoints);
    const auto pin = [&] {
        names.empty() ? pinned.pin_all() : pinned.pin_named(names);
        pinned.check(endpoints);
    };
    if (before.code == DRI_SUCCESS)
        before = outcome_of(pin, rank());
    const auto others = pinned.others();
    const Committer committer{party,  pinned.endpoints(), endpoints_.distributions(), nodes_,
                              others, std::move(before)};
    Pipeline pipeline(committer, {readable_, *user_memory_}, counters_);
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
