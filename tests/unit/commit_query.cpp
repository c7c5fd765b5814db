// Queries of endpoints that another thread destroys or tries to destroy.
#include "commit/session.hpp"

#include "support/forwarding_transport.hpp"
#include "unit/commit_scope.hpp"

#include <dri/attributes.h>

#include <string>

namespace dri::test {

namespace {

using Endpoints = std::vector<std::shared_ptr<commit::Endpoint>>;

struct Pair {
    std::shared_ptr<commit::Endpoint> source, sink;
    Pair(commit::Session &session, const std::string &name, const std::vector<int> &to = {0, 1}) {
        const auto declare = [&](commit::Role role, const std::vector<int> &ranks) {
            return session.declare({name, role, dri::test::cut_evenly(8, ranks), {}, {nullptr}, {}});
        };
        source = declare(commit::Role::source, {0, 1});
        sink = declare(commit::Role::sink, to);
    }
    void destroy(commit::Session &session) const {
        session.destroy(source);
        session.destroy(sink);
    }
};

template <class F> Error error_in(F call) {
    try {
        call();
    } catch (const Error &error) {
        return error;
    }
    return {DRI_SUCCESS, ""};
}

// Calls a function, if there is one, before each message of an exchange: these come after the endpoints are known.
class Interrupted : public dri::test::ForwardingTransport {
public:
    Interrupted(transport::Transport &inner, const std::function<void()> &meanwhile)
        : ForwardingTransport(inner), meanwhile_(meanwhile) {}
    void post(int peer, int tag, Bytes bytes) override {
        if (meanwhile_)
            meanwhile_();
        ForwardingTransport::post(peer, tag, std::move(bytes));
    }

private:
    const std::function<void()> &meanwhile_;
};

Error query_failure(commit::Session &session, const std::function<Endpoints()> &get) {
    return error_in([&] { session.query(model::Group({0, 1}), get); });
}

} // namespace

// As if the destroying thread has informed the session, but not yet the table of handles.
TEST(QueriedEndpoints, are_refused_on_all_if_one_is_destroyed) {
    dri::test::on_ranks(2, [](transport::Transport &transport) {
        commit::Session session(std::make_unique<dri::test::ForwardingTransport>(transport));
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
    dri::test::on_ranks(2, [](transport::Transport &transport) {
        std::function<void()> meanwhile;
        commit::Session session(std::make_unique<Interrupted>(transport, meanwhile));
        const Pair asked(session, "asked");
        std::string message;
        meanwhile = [&] {
            try {
                asked.destroy(session);
            } catch (const Error &error) {
                message = error.what();
                EXPECT_EQ(error.code(), DRI_ERR_STATE);
            }
        };
        EXPECT_EQ(query_failure(session, [&] { return Endpoints{asked.source, asked.sink}; }).code(), DRI_SUCCESS);
        meanwhile = nullptr;
        for (const std::string part :
             {"source of transfer 'asked'", "repeat this call when", "DRI_commit", "DRI_xfer_query"})
            EXPECT_NE(message.find(part), std::string::npos) << message;
        asked.destroy(session);
        session.close();
    });
}

// Another thread's call is refused at once, and not when a deadline has passed.
TEST(QueriedEndpoints, exclude_other_calls_for_all_endpoints) {
    dri::test::on_ranks(2, [](transport::Transport &transport) {
        commit::Session session(std::make_unique<dri::test::ForwardingTransport>(transport));
        const Pair asked(session, "asked");
        std::vector<Error> errors;
        const auto get = [&] {
            errors.push_back(query_failure(session, [] { return Endpoints{}; }));
            errors.push_back(error_in([&] { session.commit(model::Group({0, 1})); }));
            return Endpoints{asked.source};
        };
        EXPECT_EQ(query_failure(session, get).code(), DRI_SUCCESS);
        ASSERT_EQ(errors.size(), 2u);
        for (const Error &error : errors) {
            EXPECT_EQ(error.code(), DRI_ERR_STATE) << error.what();
            EXPECT_NE(std::string(error.what()).find("is in DRI_xfer_query"), std::string::npos) << error.what();
        }
        asked.destroy(session);
        session.close();
    });
}

// An MPI with few message tags.
class FewTags : public dri::test::ForwardingTransport {
public:
    using ForwardingTransport::ForwardingTransport;
    int64_t exchange_tags() const override { return 4; }
};

TEST(FailedCommits, use_no_message_tags) {
    dri::test::on_ranks(2, [](transport::Transport &transport) {
        commit::Session session(std::make_unique<FewTags>(transport));
        const Pair pair(session, "tagged", {1, 0}); // all elements change their process
        const auto limit = [&](int64_t bytes) {
            session.set_attributes(*pair.source, [&](commit::Attributes &a) { a.workspace_limit = bytes; });
        };
        for (const auto &endpoint : {pair.source, pair.sink})
            session.set_attributes(*endpoint,
                                   [](commit::Attributes &a) { a.ways = DRI_WAY_SELF | DRI_WAY_MESSAGE; });
        const model::Group scope({0, 1});
        for (int i = 0; i < 20; ++i) {
            limit(0); // too little for messages: fails after the tags are distributed
            EXPECT_EQ(error_in([&] { session.commit(scope); }).code(), DRI_ERR_LIMIT);
            limit(commit::no_limit);
            EXPECT_EQ(query_failure(session, [] { return Endpoints{}; }).code(), DRI_SUCCESS);
        }
        session.commit(scope);
        EXPECT_TRUE(pair.source->committed());
        session.close();
    });
}

} // namespace dri::test
