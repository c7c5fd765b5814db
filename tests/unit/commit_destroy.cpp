// During a commit no other thread can change or destroy an endpoint, and an endpoint is destroyed only once.
#include "commit/session.hpp"

#include "support/forwarding_transport.hpp"
#include "support/kept_exchange.hpp"
#include "unit/commit_scope.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <thread>
#include <utility>

namespace dri::test {

namespace {

// Runs `ask` during the next message of a collective step, as another thread could.
class AskingTransport final : public dri::test::ForwardingTransport {
public:
    using ForwardingTransport::ForwardingTransport;
    // Part of an exchange: those of a query come after its endpoints are known.
    void post(int peer, int tag, Bytes bytes) override {
        if (const auto now = std::exchange(ask, nullptr))
            now();
        ForwardingTransport::post(peer, tag, std::move(bytes));
    }
    std::function<void()> ask;
};

// Its messages cannot be received for lack of memory.
class ShortExchange final : public KeptExchange {
public:
    using KeptExchange::KeptExchange;
    void post_send(size_t) override {}
    size_t sends_under_way() override { return 0; }
    bool sends_done() override { return true; }
    std::optional<int> awaits() override { return std::nullopt; }
    bool receives_open() const override { return true; }
    int64_t try_receive() override { throw std::bad_alloc(); }
};

// Logging on level debug for sessions made while this object exists.
struct LogOfAll {
    LogOfAll() { setenv("DRI_LOG", "debug", 1); }
    ~LogOfAll() { unsetenv("DRI_LOG"); }
    LogOfAll(const LogOfAll &) = delete;
    LogOfAll &operator=(const LogOfAll &) = delete;
};

// Standard error is a full pipe, so whoever writes to it waits until discard().
class StuckStandardError {
public:
    StuckStandardError() : kept_(dup(STDERR_FILENO)) {
        EXPECT_EQ(pipe2(pipe_, O_NONBLOCK), 0);
        while (write(pipe_[1], "", 1) == 1)
            ;
        for (const int end : pipe_)
            fcntl(end, F_SETFL, 0);
        dup2(pipe_[1], STDERR_FILENO);
        close(pipe_[1]);
    }
    // Lets writers continue; what they write is discarded.
    void discard() {
        reader_ = std::thread([from = pipe_[0]] {
            for (char bytes[4096]; read(from, bytes, sizeof bytes) > 0;)
                ;
        });
    }
    ~StuckStandardError() {
        dup2(kept_, STDERR_FILENO); // closes the pipe's last writing end
        close(kept_);
        if (reader_.joinable())
            reader_.join();
        close(pipe_[0]);
    }
    StuckStandardError(const StuckStandardError &) = delete;
    StuckStandardError &operator=(const StuckStandardError &) = delete;

private:
    int kept_, pipe_[2]{};
    std::thread reader_;
};

Error failure_of(const std::function<void()> &call) {
    try {
        call();
    } catch (const Error &error) {
        return error;
    }
    return {DRI_SUCCESS, ""};
}

} // namespace

TEST(DestroyedEndpoints, stay_during_a_commit_and_are_removed_once) {
    dri::test::on_ranks(2, [](transport::Transport &inner) {
        auto owned = std::make_unique<AskingTransport>(inner);
        AskingTransport &transport = *owned;
        commit::Session session(std::move(owned));
        const auto dist = dri::test::cut_evenly(8, {0, 1});
        const auto source = session.declare({"asked", commit::Role::source, dist, {}, {nullptr}, {}}),
                   sink = session.declare({"asked", commit::Role::sink, dist, {}, {nullptr}, {}});
        const model::Group all({0, 1});
        const std::vector<std::function<void()>> collectives{
            [&] { session.query(all, [] { return std::vector<std::shared_ptr<commit::Endpoint>>{}; }); },
            [&] { session.commit(all); }};
        for (const auto &collective : collectives) {
            std::vector<Error> during;
            Error later(DRI_ERR_INTERNAL, "nobody asked");
            transport.ask = [&] {
                during = {failure_of([&] { session.destroy(source); }), failure_of([&] {
                              session.set_attributes(*source, [](commit::Attributes &a) { a.threads = 2; });
                          })};
                // An endpoint declared during a commit does not belong to it, whatever its name.
                later = failure_of([&] {
                    for (const char *name : {"later", "asked"}) {
                        const auto other = session.declare({name, commit::Role::sink, dist, {}, {nullptr}, {}});
                        session.set_attributes(*other, [](commit::Attributes &a) { a.threads = 2; });
                        session.destroy(other);
                    }
                });
            };
            collective();
            EXPECT_EQ(during.size(), 2u);
            for (const Error &error : during) {
                EXPECT_EQ(error.code(), DRI_ERR_STATE) << error.what();
                EXPECT_NE(std::string(error.what()).find("source of transfer 'asked' is in a commit"),
                          std::string::npos)
                    << error.what();
            }
            EXPECT_EQ(later.code(), DRI_SUCCESS) << later.what();
            EXPECT_EQ(source->declaration().attributes.threads, 1);
        }
        session.find("asked")->execute(commit::Moves::all_of_name);
        for (const auto &endpoint : {sink, source}) {
            session.destroy(endpoint);
            EXPECT_EQ(failure_of([&] { session.destroy(endpoint); }).code(), DRI_ERR_STATE);
        }
        session.close();
    });
}

// After a failed commit endpoints can be changed and destroyed.
TEST(DestroyedEndpoints, are_removed_after_a_failed_commit) {
    dri::test::on_ranks(2, [](transport::Transport &inner) {
        commit::Session session(std::make_unique<AskingTransport>(inner));
        const auto dist = dri::test::cut_evenly(8, {0, 1});
        const auto alone = session.declare({"alone", commit::Role::source, dist, {}, {nullptr}, {}});
        EXPECT_EQ(failure_of([&] { session.commit(model::Group({0, 1})); }).code(), DRI_ERR_UNMATCHED);
        session.set_attributes(*alone, [](commit::Attributes &a) { a.threads = 2; });
        EXPECT_EQ(alone->declaration().attributes.threads, 2);
        session.destroy(alone);
        session.close();
    });
}

// An endpoint counts as committed some steps before its commit adds the transfer to those that run. Between these
// steps the commit writes to the log, and waits there.
TEST(DestroyedEndpoints, stay_until_their_commit_is_over_and_leave_no_transfer) {
    const LogOfAll log;
    dri::test::on_ranks(1, [](transport::Transport &inner) {
        commit::Session session(std::make_unique<AskingTransport>(inner));
        const auto dist = dri::test::cut_evenly(8, {0});
        const auto source = session.declare({"logged", commit::Role::source, dist, {}, {nullptr}, {}}),
                   sink = session.declare({"logged", commit::Role::sink, dist, {}, {nullptr}, {}});
        StuckStandardError stuck;
        std::thread other([&] { session.commit(model::Group({0})); });
        while (!source->committed())
            std::this_thread::yield();
        const Error during = failure_of([&] { session.destroy(source); });
        stuck.discard();
        other.join();
        EXPECT_EQ(during.code(), DRI_ERR_STATE) << during.what();
        EXPECT_NE(std::string(during.what()).find("source of transfer 'logged' is in a commit"), std::string::npos)
            << during.what();
        const std::weak_ptr<exec::LocalTransfer> left = source->transfer();
        for (const auto &endpoint : {sink, source})
            EXPECT_EQ(failure_of([&] { session.destroy(endpoint); }).code(), DRI_SUCCESS);
        EXPECT_EQ(left.use_count(), 2) << "only the two endpoints hold it";
        session.close();
    });
}

// A step that another thread has taken failed, and its failure is no Error. It does not stop close().
TEST(DestroyedEndpoints, may_have_failed_in_any_way) {
    dri::test::on_ranks(2, [](transport::Transport &inner) {
        commit::Session session(std::make_unique<KeptTransport<ShortExchange>>(inner));
        const int rank = session.rank();
        commit::Declaration declaration{"short",
                                        rank == 0 ? commit::Role::source : commit::Role::sink,
                                        dri::test::cut_evenly(8, {rank}),
                                        {},
                                        {nullptr, nullptr},
                                        {}};
        declaration.attributes.ways = commit::way_message;
        const auto endpoint = session.declare(std::move(declaration));
        session.commit(model::Group({0, 1}));
        session.progress();
        EXPECT_NO_THROW(session.close());
        EXPECT_EQ(failure_of([&] { session.destroy(endpoint); }).code(), DRI_ERR_STATE) << "it is destroyed";
    });
}

} // namespace dri::test
