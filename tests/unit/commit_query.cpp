// Queries of endpoints that another thread destroys or tries to destroy.
#include "commit/session.hpp"

#include "support/forwarding_transport.hpp"
#include "unit/commit_scope.hpp"

#include <string>

namespace dri::test {

namespace {

using Endpoints = std::vector<std::shared_ptr<commit::Endpoint>>;

struct Pair {
    std::shared_ptr<commit::Endpoint> source, sink;
    Pair(commit::Session &session, const std::string &name) {
        const auto dist = dri_test::cut_evenly(8, {0, 1});
        source = session.declare({name, commit::Role::source, dist, {}, {nullptr}, {}});
        sink = session.declare({name, commit::Role::sink, dist, {}, {nullptr}, {}});
    }
    void destroy(commit::Session &session) const {
        session.destroy(source);
        session.destroy(sink);
    }
};

Error query_failure(commit::Session &session, const std::function<Endpoints()> &get) {
    try {
        session.query(model::Group({0, 1}), get);
    } catch (const Error &error) {
        return error;
    }
    return {DRI_SUCCESS, ""};
}

} // namespace

// As if the destroying thread has informed the session, but not yet the table of handles.
TEST(QueriedEndpoints, are_refused_on_all_if_one_is_destroyed) {
    dri_test::on_ranks(2, [](transport::Transport &transport) {
        commit::Session session(std::make_unique<dri_test::ForwardingTransport>(transport));
        const Pair gone(session, "gone"), kept(session, "kept");
        gone.destroy(session);
        for (const int loser : {0, 1}) {
            const Error error = query_failure(session, [&] {
                return session.rank() == loser ? Endpoints{kept.source, gone.sink}
                                               : Endpoints{kept.source, kept.sink};
            });
            EXPECT_EQ(error.code(), DRI_ERR_HANDLE) << error.what();
            for (const std::string part : {"sink of transfer 'gone'", "destroyed"})
                EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
        EXPECT_EQ(query_failure(session, [&] { return Endpoints{kept.source, kept.sink}; }).code(), DRI_SUCCESS);
        session.close();
    });
}

TEST(QueriedEndpoints, are_not_destroyed_during_the_query) {
    dri_test::on_ranks(2, [](transport::Transport &transport) {
        commit::Session session(std::make_unique<dri_test::ForwardingTransport>(transport));
        const Pair asked(session, "asked");
        std::string message;
        const auto get = [&] {
            try {
                asked.destroy(session);
            } catch (const Error &error) {
                message = error.what();
                EXPECT_EQ(error.code(), DRI_ERR_STATE);
            }
            return Endpoints{asked.source, asked.sink};
        };
        EXPECT_EQ(query_failure(session, get).code(), DRI_SUCCESS);
        for (const std::string part :
             {"source of transfer 'asked'", "repeat this call when", "DRI_commit", "DRI_xfer_query"})
            EXPECT_NE(message.find(part), std::string::npos) << message;
        asked.destroy(session);
        session.close();
    });
}

} // namespace dri::test
