// Whole sessions on loopback ranks on any nodes: frames by messages and by the direct way at once. Rows in blocks
// of four become columns dealt cyclically, each contiguous.
#include "commit/session.hpp"
#include "unit/transport_threads.hpp"

#include <barrier>
#include <deque>
#include <map>
#include <numeric>

namespace dri::test {

using namespace dri;

namespace {

int32_t value(int64_t row, int64_t column, int64_t frame) {
    return static_cast<int32_t>(row * 1009 + column + frame * 1000003);
}

struct CornerTurn {
    std::vector<int> nodes;
    int64_t nbuffs = 1;
    bool own_buffers = false; // the source's buffers belong to the user
    int64_t ways = commit::all_ways;
    int64_t threads = 1;
    bool in_min_memory = false; // all endpoints have the smallest limit that is enough
};

// One process of the job.
class Process {
public:
    Process(std::unique_ptr<transport::Transport> transport, const CornerTurn &turn)
        : session_(std::move(transport)), ranks_(session_.size()), n_(4 * ranks_) {
        std::vector<int> all(static_cast<size_t>(ranks_));
        std::iota(all.begin(), all.end(), 0);
        model::CutRule rows, columns;
        rows.kind = model::CutKind::block;
        columns.kind = model::CutKind::block_cyclic;
        columns.block = 1;
        const std::vector<int64_t> sizes{n_, n_};
        const model::Gdo gdo = model::make_gdo(model::make_real(Scalar::int32), sizes);
        const auto declare = [&](commit::Role role, const model::Partition &partition, model::LayoutKind kind,
                                 std::vector<void *> buffers) {
            commit::Declaration d;
            d.name = "turn";
            d.role = role;
            d.dist = std::make_shared<model::Distribution>(gdo, partition, model::Group(all));
            d.layout.kind = kind;
            d.buffers = std::move(buffers);
            d.attributes.ways = turn.ways;
            d.attributes.threads = turn.threads;
            d.attributes.share_bytes = 1;
            return session_.declare(std::move(d));
        };
        std::vector<void *> buffers(static_cast<size_t>(turn.nbuffs), nullptr);
        for (void *&buffer : buffers)
            if (turn.own_buffers)
                buffer = own_.emplace_back(static_cast<size_t>(4 * n_)).data();
        source_ = declare(commit::Role::source, {rows, {}}, model::LayoutKind::row_major, buffers);
        sink_ = declare(commit::Role::sink, {{}, columns}, model::LayoutKind::col_major, {nullptr});
        if (turn.in_min_memory)
            limit(model::Group(all));
        session_.commit(model::Group(all));
    }

    commit::Session &session() { return session_; }
    commit::Endpoint &source() { return *source_; }
    commit::Endpoint &sink() { return *sink_; }
    void fill() {
        const exec::EndpointState &state = source_->state();
        const int64_t frame = source_->progress().frames;
        auto *out = reinterpret_cast<int32_t *>(state.buffer(frame));
        for (int64_t r = 0; r < 4; ++r)
            for (int64_t c = 0; c < n_; ++c)
                out[r * n_ + c] = value(4 * session_.rank() + r, c, frame);
    }
    // The number of wrong elements in the last frame.
    int64_t wrong() const {
        const exec::EndpointState &state = sink_->state();
        const int64_t frame = sink_->progress().frames - 1;
        const auto *in = reinterpret_cast<const int32_t *>(state.buffer(frame));
        int64_t wrong = 0;
        for (int64_t c = 0; c < 4; ++c)
            for (int64_t r = 0; r < n_; ++r)
                wrong += in[c * n_ + r] != value(r, c * ranks_ + session_.rank(), frame);
        return wrong;
    }
    const plan::Plan &plan() const { return sink_->transfer()->flows()[0].link.plan(); }
    void destroy(bool source) { session_.destroy(source ? source_ : sink_); }
    void close() { session_.close(); }

private:
    void limit(const model::Group &scope) {
        const std::vector endpoints{source_, sink_};
        const auto answers = session_.query(scope, [&] { return endpoints; });
        for (size_t i = 0; i < endpoints.size(); ++i) {
            commit::Attributes attributes = endpoints[i]->declaration().attributes;
            attributes.workspace_limit = answers[i].least_bytes;
            endpoints[i]->set_attributes(attributes);
        }
    }

    commit::Session session_;
    int64_t ranks_, n_;
    std::deque<std::vector<int32_t>> own_;
    std::shared_ptr<commit::Endpoint> source_, sink_;
};

void on_processes(const CornerTurn &turn, const std::function<void(Process &)> &body) {
    auto world = dri::test::make_loopback(static_cast<int>(turn.nodes.size()), turn.nodes);
    std::vector<std::thread> threads;
    std::barrier all_done(std::ssize(turn.nodes)); // no process destroys its endpoints earlier
    for (auto &transport : world)
        threads.emplace_back([&] {
            const int rank = transport->rank();
            try {
                Process process(std::move(transport), turn);
                body(process);
                all_done.arrive_and_wait();
                process.close();
            } catch (const std::exception &error) {
                all_done.arrive_and_drop();
                ADD_FAILURE() << "rank " << rank << ": " << error.what();
            }
        });
    for (auto &thread : threads)
        thread.join();
}

const std::vector<std::vector<int>> all_nodes{{0},          {0, 0},          {0, 1},
                                              {0, 0, 0, 0}, {0, 1, 0, 1, 0}, {0, 0, 2, 2, 4, 0}};

} // namespace

TEST(CommitDirect, FramesArriveOnAnyNodes) {
    for (const auto &nodes : all_nodes)
        for (const int64_t nbuffs : {1, 2, 3})
            for (const bool own_buffers : {false, true})
                on_processes({nodes, nbuffs, own_buffers}, [&](Process &process) {
                    for (int f = 0; f < 6; ++f) {
                        process.fill();
                        process.session().find("turn")->execute(commit::Moves::all_of_name);
                        EXPECT_EQ(process.wrong(), 0) << "frame " << f;
                    }
                });
}

TEST(CommitDirect, FramesArriveBySeveralThreads) {
    for (const auto &nodes : all_nodes)
        for (const bool own_buffers : {false, true})
            on_processes({nodes, 2, own_buffers, commit::all_ways, 3}, [&](Process &process) {
                for (int f = 0; f < 6; ++f) {
                    process.fill();
                    process.session().find("turn")->execute(commit::Moves::all_of_name);
                    EXPECT_EQ(process.wrong(), 0) << "frame " << f;
                }
            });
}

// Of each peer one message at a time has a slot, of no more bytes than the longest one.
int64_t bytes_of_longest(const std::vector<plan::Message> &messages) {
    std::map<int, int64_t> longest;
    for (const plan::Message &message : messages)
        longest[message.peer] = std::max(longest[message.peer], message.bytes);
    return std::accumulate(longest.begin(), longest.end(), int64_t{0},
                           [](int64_t sum, const auto &one) { return sum + one.second; });
}

TEST(CommitDirect, FramesArriveInTheMinimumOfMemory) {
    for (const auto &nodes : all_nodes)
        for (const bool own_buffers : {false, true})
            for (const int64_t nbuffs : {1, 3})
                on_processes({nodes, nbuffs, own_buffers, commit::all_ways, 1, true}, [&](Process &process) {
                    for (int f = 0; f < 6; ++f) {
                        process.fill();
                        process.session().find("turn")->execute(commit::Moves::all_of_name);
                        EXPECT_EQ(process.wrong(), 0) << "frame " << f;
                    }
                    const plan::Plan &plan = process.plan();
                    EXPECT_EQ(process.source().state().memory.messages, bytes_of_longest(plan.sends));
                    EXPECT_EQ(process.sink().state().memory.messages, bytes_of_longest(plan.receives));
                    EXPECT_EQ(process.sink().state().memory.tiles, 0);
                });
}

TEST(CommitDirect, NeighboursPullAndOthersSend) {
    for (const auto &nodes : all_nodes)
        for (const int64_t ways : {int64_t{commit::all_ways}, int64_t{commit::way_message}})
            on_processes({nodes, 1, false, ways}, [&](Process &process) {
                const plan::Plan &plan = process.plan();
                const auto near =
                    std::count(nodes.begin(), nodes.end(), nodes[static_cast<size_t>(plan.rank)]) - 1;
                const auto expected = ways == commit::all_ways ? near : 0;
                EXPECT_EQ(std::ssize(plan.pulls), expected);
                EXPECT_EQ(std::ssize(plan.pullers), expected);
                EXPECT_EQ(std::ssize(plan.sends),
                          std::ssize(nodes) - (ways == commit::all_ways ? 1 : 0) - expected);
            });
}

// A source of n buffers may be n - 1 frames ahead, whichever way the bytes travel.
TEST(CommitDirect, ASourceTooFarAheadOfItsProcesssSinkIsRefused) {
    for (const auto &nodes : all_nodes)
        on_processes({nodes, 3}, [&](Process &process) {
            const auto step = [&](commit::Endpoint &state) {
                if (&state == &process.source())
                    process.fill();
                state.execute(commit::Moves::endpoint);
            };
            for (int f = 0; f < 2; ++f)
                step(process.source());
            EXPECT_EQ(code_of([&] { process.source().execute(commit::Moves::endpoint); }), DRI_ERR_DEADLOCK);
            for (int f = 0; f < 5; ++f) {
                step(process.sink());
                EXPECT_EQ(process.wrong(), 0);
                step(process.source());
            }
            for (int f = 0; f < 2; ++f) {
                step(process.sink());
                EXPECT_EQ(process.wrong(), 0);
            }
            EXPECT_EQ(code_of([&] { process.sink().execute(commit::Moves::endpoint); }), DRI_ERR_DEADLOCK);
        });
}

// The last process destroys its sink. The others continue without waiting for it.
TEST(CommitDirect, ASinkThatHasLeftIsNotWaitedFor) {
    for (const auto &nodes : all_nodes) {
        if (nodes.size() < 2)
            continue;
        on_processes({nodes, 1}, [&](Process &process) {
            const bool last = process.session().rank() + 1 == process.session().size();
            for (int f = 0; f < 5; ++f) {
                if (last && f == 2)
                    process.destroy(false);
                process.fill();
                process.session().find("turn")->execute(commit::Moves::all_of_name);
                if (!last || f < 2) {
                    EXPECT_EQ(process.wrong(), 0) << "frame " << f;
                }
            }
        });
    }
}

// Frames that were handed over can be received after the source is destroyed, but no more.
TEST(CommitDirect, FramesOutliveTheirSource) {
    for (const auto &nodes : all_nodes)
        on_processes({nodes, 3}, [&](Process &process) {
            const bool last = process.session().rank() + 1 == process.session().size();
            for (int f = 0; f < 2; ++f) {
                process.fill();
                process.source().execute(commit::Moves::endpoint);
            }
            for (int f = 0; f < 2; ++f) {
                process.sink().execute(commit::Moves::endpoint);
                EXPECT_EQ(process.wrong(), 0) << "frame " << f;
                if (last && f == 1)
                    process.destroy(true);
            }
            if (!last && process.session().rank() == 0) {
                process.fill();
                const Error error =
                    error_of([&] { process.session().find("turn")->execute(commit::Moves::all_of_name); });
                EXPECT_EQ(error.code(), DRI_ERR_STATE);
                EXPECT_NE(std::string(error.what())
                              .find(fmt::format("the source of process {} is destroyed after 2",
                                                process.session().size() - 1)),
                          std::string::npos)
                    << error.what();
            }
        });
}

} // namespace dri::test
