// An end is destroyed once, and not while a commit has it.
#include "commit/session.hpp"

#include "support/forwarding_transport.hpp"
#include "unit/commit_scope.hpp"

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
        Error during(DRI_SUCCESS, "nobody asked");
        transport.ask = [&] { during = failure_of([&] { session.destroy(source); }); };
        session.commit(Group({0, 1}));
        EXPECT_EQ(during.code(), DRI_ERR_STATE) << during.what();
        EXPECT_NE(std::string(during.what()).find("source of transfer 'asked' is in a commit"), std::string::npos)
            << during.what();
        session.find("asked")->do_all();
        for (const auto &end : {sink, source}) {
            session.destroy(end);
            EXPECT_EQ(failure_of([&] { session.destroy(end); }).code(), DRI_ERR_STATE);
        }
        session.close();
    });
}

} // namespace dri::test
