// A sparse exchange as a non-blocking barrier: see class SparseExchange.
#include "transport/sparse_exchange.hpp"

#include "base/sorted.hpp"
#include "transport/tree_position.hpp"

#include <algorithm>
#include <map>

namespace dri::transport {

namespace {

// Each message ends with its kind and the stamp of the exchange. They are at the end so that a content need not be
// moved.
enum class Kind : uint8_t {
    content,
    taken,     // the answer to a content: it has been received
    all_taken, // all contents of the sender and of the members below it in the tree have been received
    over,      // all contents of all members have been received
};

// How often a member that waits looks whether another one has ended.
constexpr auto between_checks = std::chrono::milliseconds(200);
constexpr size_t trailer_bytes = sizeof(Kind) + sizeof(uint64_t);

// A barrier that each member enters when all contents that it sent have been received. In the barrier it continues
// to receive contents of others (Hoefler, Siebert, Lumsdaine 2010).
class SparseExchange {
public:
    SparseExchange(Transport &transport, const Step &step, uint64_t stamp);
    std::vector<Parcel> run(std::vector<Parcel> parcels);

private:
    void post(int peer, Kind kind, Bytes bytes = {});
    void send_all(std::vector<Parcel> parcels);
    void take(Arrival arrival);
    void climb();
    Arrival next_arrival();
    std::vector<int> missing() const;
    void ask_missing();
    [[noreturn]] void time_out() const;

    Transport &transport_;
    const Step &step_;
    uint64_t stamp_;
    int tag_;
    TreePosition tree_;
    std::vector<int> below_;      // children that have not sent all_taken yet
    std::map<int, int64_t> sent_; // contents not yet received, per receiver
    bool climbed_ = false, over_ = false, asked_ = false;
    std::vector<Parcel> received_;
};

// Consecutive exchanges use the two tags alternately, so that a message of the next exchange is never received in
// this one.
SparseExchange::SparseExchange(Transport &transport, const Step &step, uint64_t stamp)
    : transport_(transport), step_(step), stamp_(stamp), tag_(tag_sparse_exchange + static_cast<int>(stamp % 2)),
      tree_(find_tree_position(step.members, transport.rank())), below_(tree_.children) {}

void SparseExchange::post(int peer, Kind kind, Bytes bytes) {
    const size_t at = bytes.size();
    bytes.reserve(at + trailer_bytes); // a content may be long
    bytes.resize(at + trailer_bytes);
    std::memcpy(bytes.data() + at, &kind, sizeof kind);
    std::memcpy(bytes.data() + at + sizeof kind, &stamp_, sizeof stamp_);
    transport_.post(peer, tag_, std::move(bytes));
}

void SparseExchange::send_all(std::vector<Parcel> parcels) {
    for (Parcel &parcel : parcels) {
        if (parcel.rank == transport_.rank()) {
            received_.push_back(std::move(parcel));
            continue;
        }
        post(parcel.rank, Kind::content, std::move(parcel.bytes));
        ++sent_[parcel.rank];
    }
}

// A message with another stamp is left over from a failed exchange, and is dropped. It cannot belong to a later
// exchange: the next one has the other tag, and the one after that cannot start without this process.
void SparseExchange::take(Arrival arrival) {
    Bytes &bytes = arrival.bytes;
    if (bytes.size() < trailer_bytes)
        fail(DRI_ERR_INTERNAL, "process {} sent a message that belongs to no exchange", arrival.peer);
    const size_t at = bytes.size() - trailer_bytes;
    Kind kind{};
    uint64_t stamp = 0;
    std::memcpy(&kind, bytes.data() + at, sizeof kind);
    std::memcpy(&stamp, bytes.data() + at + sizeof kind, sizeof stamp);
    if (stamp != stamp_)
        return;
    bytes.resize(at);
    switch (kind) {
    case Kind::content:
        received_.push_back({arrival.peer, std::move(bytes)});
        post(arrival.peer, Kind::taken);
        break;
    case Kind::taken:
        if (const auto open = sent_.find(arrival.peer); open != sent_.end() && --open->second == 0)
            sent_.erase(open);
        break;
    case Kind::all_taken: std::erase(below_, arrival.peer); break;
    case Kind::over: over_ = true; break;
    }
}

// Reports to the parent that everything of this subtree has been received. At the root the exchange is then over.
void SparseExchange::climb() {
    if (climbed_ || !sent_.empty() || !below_.empty())
        return;
    climbed_ = true;
    if (tree_.parent >= 0)
        post(tree_.parent, Kind::all_taken);
    else
        over_ = true;
}

// The processes that this one waits for: children, receivers, or else the parent.
std::vector<int> SparseExchange::missing() const {
    std::vector<int> missing = below_;
    for (const auto &[rank, open] : sent_)
        missing.push_back(rank);
    if (missing.empty())
        missing.push_back(tree_.parent);
    return sorted_once(std::move(missing));
}

void SparseExchange::ask_missing() {
    asked_ = true;
    for (const int peer : missing())
        if (!transport_.presence().is_near(peer))
            transport_.ask(peer);
}

void SparseExchange::time_out() const {
    const std::vector<int> late = missing();
    const std::string where = where_if_known(transport_.presence(), late.front());
    fail(DRI_ERR_TIMEOUT, "{}{}{}", describe_timeout(step_, late), where.empty() ? "" : "; ", where);
}

// A process that has ended keeps the exchange from its end, whichever process waits for it.
Arrival SparseExchange::next_arrival() {
    for (;;) {
        const auto now = Clock::now();
        const auto ask = time_to_ask(step_.deadline);
        const auto until = std::min({step_.deadline, now + between_checks, ask > now ? ask : step_.deadline});
        try {
            return transport_.receive_any(tag_, until);
        } catch (const Error &error) {
            if (error.code() != DRI_ERR_TIMEOUT)
                throw;
            if (until == step_.deadline)
                time_out();
        }
        for (const int member : step_.members)
            check_runs(transport_.presence(), member);
        if (!asked_ && Clock::now() >= time_to_ask(step_.deadline))
            ask_missing();
    }
}

std::vector<Parcel> SparseExchange::run(std::vector<Parcel> parcels) {
    send_all(std::move(parcels));
    for (climb(); !over_; climb())
        take(next_arrival());
    for (size_t k = tree_.children.size(); k-- > 0;)
        post(tree_.children[k], Kind::over);
    std::stable_sort(received_.begin(), received_.end(),
                     [](const Parcel &a, const Parcel &b) { return a.rank < b.rank; });
    return std::move(received_);
}

} // namespace

std::vector<Parcel> sparse_exchange(Transport &transport, const Step &step, uint64_t stamp,
                                    std::vector<Parcel> parcels) {
    return SparseExchange(transport, step, stamp).run(std::move(parcels));
}

} // namespace dri::transport
