// An end is changed and destroyed by nobody while a commit has it, and destroyed once.
#include "commit/session.hpp"

#include "support/forwarding_transport.hpp"
#include "unit/commit_scope.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace dri::test {

namespace {

// Asks something at the next word of a collective step, as another thread may.
class AskingTransport final : public dri_test::ForwardingTransport {
public:
    using ForwardingTransport::ForwardingTransport;
    void send(int peer, int tag, std::span<const std::byte> bytes, Deadline deadline) override {
        if (const auto now = std::exchange(ask, nullptr))
            now();
        ForwardingTransport::send(peer, tag, bytes, deadline);
    }
    std::function<void()> ask;
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

TEST(DestroyedEnds, stay_while_a_commit_has_them_and_go_once) {
    dri_test::on_ranks(2, [](Transport &inner) {
        auto owned = std::make_unique<AskingTransport>(inner);
        AskingTransport &transport = *owned;
        Session session(std::move(owned));
        const auto dist = dri_test::cut_evenly(8, {0, 1});
        const auto source = session.declare({"asked", Role::source, dist, {}, {nullptr}, {}}),
                   sink = session.declare({"asked", Role::sink, dist, {}, {nullptr}, {}});
        const Group all({0, 1});
        const std::vector<std::function<void()>> takers{
            [&] { session.query(all, [] { return std::vector<std::shared_ptr<Endpoint>>{}; }); },
            [&] { session.commit(all); }};
        for (const auto &take : takers) {
            std::vector<Error> during;
            Error later(DRI_ERR_INTERNAL, "nobody asked");
            transport.ask = [&] {
                during = {failure_of([&] { session.destroy(source); }), failure_of([&] {
                              session.set_attributes(*source, [](Attributes &a) { a.threads = 2; });
                          }),
                          failure_of([&] {
                              session.declare({"asked", Role::source, dist, {}, {nullptr}, {}});
                          })};
                // No commit has what is declared while it runs.
                later = failure_of([&] {
                    const auto other = session.declare({"later", Role::sink, dist, {}, {nullptr}, {}});
                    session.set_attributes(*other, [](Attributes &a) { a.threads = 2; });
                    session.destroy(other);
                });
            };
            take();
            EXPECT_EQ(during.size(), 3u);
            for (const Error &error : during) {
                EXPECT_EQ(error.code(), DRI_ERR_STATE) << error.what();
                EXPECT_NE(std::string(error.what()).find("source of transfer 'asked' is in a commit"),
                          std::string::npos)
                    << error.what();
            }
            EXPECT_EQ(later.code(), DRI_SUCCESS) << later.what();
            EXPECT_EQ(source->declaration().attributes.threads, 1);
        }
        session.find("asked")->do_all();
        for (const auto &end : {sink, source}) {
            session.destroy(end);
            EXPECT_EQ(failure_of([&] { session.destroy(end); }).code(), DRI_ERR_STATE);
        }
        session.close();
    });
}

// Nobody has them when it has failed.
TEST(DestroyedEnds, go_after_a_commit_that_failed) {
    dri_test::on_ranks(2, [](Transport &inner) {
        Session session(std::make_unique<AskingTransport>(inner));
        const auto dist = dri_test::cut_evenly(8, {0, 1});
        const auto alone = session.declare({"alone", Role::source, dist, {}, {nullptr}, {}});
        EXPECT_EQ(failure_of([&] { session.commit(Group({0, 1})); }).code(), DRI_ERR_UNMATCHED);
        session.set_attributes(*alone, [](Attributes &a) { a.threads = 2; });
        EXPECT_EQ(alone->declaration().attributes.threads, 2);
        session.destroy(alone);
        session.close();
    });
}

// An end is committed some steps before its commit is over, which keeps the transfer among those that run.
TEST(DestroyedEnds, leave_no_transfer_behind_where_another_thread_destroys_them_at_once) {
    dri_test::on_ranks(1, [](Transport &inner) {
        Session session(std::make_unique<AskingTransport>(inner));
        const auto dist = dri_test::cut_evenly(8, {0});
        for (int round = 0; round < 8; ++round) {
            std::vector<std::shared_ptr<Endpoint>> ends;
            for (int i = 0; i < 800; ++i)
                for (const Role role : {Role::source, Role::sink})
                    ends.push_back(session.declare({std::to_string(i), role, dist, {}, {nullptr}, {}}));
            std::vector<std::weak_ptr<Transfer>> left;
            std::thread other([&] {
                for (const auto &end : ends) {
                    while (!end->committed()) // at once: what it looks for lasts some 100 us
                        ;
                    left.emplace_back(end->transfer());
                    while (failure_of([&] { session.destroy(end); }).code() == DRI_ERR_STATE)
                        std::this_thread::yield();
                }
            });
            session.commit(Group({0}));
            other.join();
            ends.clear();
            EXPECT_TRUE(std::all_of(left.begin(), left.end(), [](const auto &one) { return one.expired(); }));
        }
        session.close();
    });
}

} // namespace dri::test
