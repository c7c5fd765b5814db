// The life of a session, and the collective calls. Each follows one pattern: a process keeps its local failure as
// an outcome, takes part in all steps, and at the end all processes agree on one outcome.
#include "commit/session.hpp"

#include "base/checked.hpp"
#include "base/env.hpp"
#include "commit/protocol.hpp"
#include "transport/memory_probe.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <sstream>

namespace dri::commit {

namespace {

constexpr std::chrono::seconds default_set_up_time(300);

std::chrono::seconds set_up_time() {
    const auto text = setting(Setting::setup_timeout);
    if (!text)
        return default_set_up_time;
    int seconds = 0;
    const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
    if (error != std::errc() || stop != text->data() + text->size() || seconds < 1)
        fail(DRI_ERR_ARG, "{} is '{}', but must be a number of seconds, at least 1",
             setting_name(Setting::setup_timeout), *text);
    return std::chrono::seconds(seconds);
}

// The ways that all endpoints of this process may use: DRI_WAYS, a list of words separated by commas.
int64_t allowed_ways() {
    const auto text = setting(Setting::ways);
    if (!text)
        return all_ways;
    int64_t ways = 0;
    std::istringstream in(*text);
    for (std::string word; std::getline(in, word, ',');) {
        if (word != "self" && word != "direct" && word != "message")
            fail(DRI_ERR_ARG, "{} is '{}', but '{}' is not one of self, direct, message",
                 setting_name(Setting::ways), *text, word);
        ways |= word == "self" ? way_self : word == "direct" ? way_direct : way_message;
    }
    if (!(ways & way_message))
        fail(DRI_ERR_ARG, "{} is '{}', but messages cannot be switched off", setting_name(Setting::ways), *text);
    return ways;
}

// What a process sends to the others of a group about the distribution that it requests.
struct Proposal {
    DRI_Code code = DRI_SUCCESS;
    Digest id;
    Bytes piece; // this process's own piece, if each process brings one
};

Bytes to_bytes(const Proposal &p) {
    Writer out;
    out.put(p.code);
    put(out, p.id);
    out.put(std::span<const std::byte>(p.piece));
    return out.take();
}

Proposal to_proposal(const Bytes &bytes) {
    Reader in(bytes);
    Proposal p;
    p.code = in.get<DRI_Code>();
    p.id = get_digest(in);
    p.piece = in.get_bytes();
    return p;
}

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

// One gather carries the digests of all requests, and the pieces if each process brings its own. Texts are sent
// only if the digests differ, because only the error message needs them.
std::shared_ptr<const model::Distribution>
Session::agree_on_distribution(const model::Group &asked, const std::function<model::Request()> &make) {
    if (!asked.position(rank()))
        fail(DRI_ERR_ARG, "process {} is not in the group {}", rank(), model::to_text(asked));
    const model::Group group = model::in_rising_order(asked);
    const Party members = party_of("DRI_dist_create", group);
    std::optional<model::Request> request;
    std::shared_ptr<const model::Distribution>
        dist; // without pieces the request alone determines the distribution
    Proposal proposal;
    const auto propose = [&] {
        request = make();
        if (model::brings_pieces(*request)) {
            model::check_request(*request);
            proposal.id = model::common_digest(*request);
            proposal.piece = model::piece_of(*request);
        } else {
            dist = std::make_shared<model::Distribution>(request->gdo, request->partition, request->group);
            proposal.id = dist->id();
        }
    };
    const transport::Outcome mine = outcome_of(propose, rank());
    proposal.code = mine.code;
    const Bytes content = to_bytes(proposal);
    std::vector<Proposal> proposals;
    for (const Bytes &b : transport::all_gather(*transport_, members.step("compare requests"), content))
        proposals.push_back(to_proposal(b));
    const bool failed =
        std::any_of(proposals.begin(), proposals.end(), [](const Proposal &p) { return p.code != DRI_SUCCESS; });
    if (failed)
        agree_or_fail(members, mine);
    const auto other = std::find_if(proposals.begin(), proposals.end(),
                                    [&](const Proposal &p) { return p.id != proposals[0].id; });
    if (other == proposals.end() && dist)
        return dist;
    if (other == proposals.end()) {
        std::vector<Bytes> pieces;
        for (const int member : asked.ranks())
            pieces.push_back(proposals[static_cast<size_t>(*group.position(member))].piece);
        const auto put_together = [&] {
            dist = std::make_shared<model::Distribution>(model::assemble(*request, pieces));
        };
        agree_or_fail(members, outcome_of(put_together, rank()));
        return dist;
    }
    // All processes know that they disagree. They now exchange texts for the message.
    Writer text;
    text.put(std::string_view(dist ? model::to_text(*dist) : model::to_text(*request)));
    const auto texts = transport::all_gather(*transport_, members.step("gather texts"), text.take());
    const auto text_of = [&](size_t position) { return Reader(texts[position]).get_string(); };
    const auto at = static_cast<size_t>(other - proposals.begin());
    fail(DRI_ERR_MISMATCH,
         "processes request different distributions: process {} requests {}, process {} requests {}",
         group.rank(0), text_of(0), group.rank(static_cast<int>(at)), text_of(at));
}

void Session::progress() {
    running_->progress();
    transport_->progress();
}

// A timeout does not keep an endpoint from being dropped here: the session ends, and the warning in the log names
// the process that was missing.
void Session::close(const std::function<void()> &started) {
    const model::Group everybody = world();
    const Party party = party_of("DRI_finalize", everybody);
    started();
    decltype(endpoints_) all;
    {
        const std::lock_guard lock(mutex_);
        all.swap(endpoints_);
    }
    const auto destroys = [&](Endpoint &endpoint) {
        try {
            endpoint.destroy();
            return true;
        } catch (const Error &error) {
            log_->warn("close: {}", error.what());
            return error.code() == DRI_ERR_TIMEOUT;
        }
    };
    // Sinks are destroyed first: the last frame of a source may wait for a sink of this process. A failure other
    // than a timeout leaves the transfer broken, and a broken endpoint can be destroyed at the second try.
    for (const Role role : {Role::sink, Role::source})
        for (const auto &[name, endpoints] : all)
            for (const auto &endpoint : endpoints)
                if (endpoint->declaration().role == role && !destroys(*endpoint))
                    destroys(*endpoint);
    // Also releases the progress threads of endpoints that could not be destroyed.
    for (const auto &[name, endpoints] : all)
        for (const auto &endpoint : endpoints)
            endpoint->let_thread_go();
    running_->clear();
    agree_or_fail(party, {});
    transport_->close(deadline());
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
    pipeline.bind({chooser, pool_, transport_, set_up_time_});
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
