// Adds up the memory of a plan. It must stay close to what the classes that it names really hold.
#include "exec/plan_bytes.hpp"

#include "kernel/arranger.hpp"
#include "kernel/tables.hpp"
#include "plan/in_place.hpp"

#include <set>
#include <span>

namespace dri::exec {

namespace {

// What a message lane and the layout of its exchanges keep for a message: its form, peer, length and group, and
// for a receive also places in lists of the only exchange.
constexpr int64_t shared_bytes_of_send = 16, bytes_of_receive = 25;
// What each exchange of sends adds: a request, a slot, and a place in the list of free slots.
constexpr int64_t exchange_bytes_of_send = 16;
// What sends add that are not in order, which have one exchange: places in two lists, and a count.
constexpr int64_t bytes_without_order = 9;

// In place a receive also has its place in the order, and room in the list of messages that are held.
constexpr int64_t in_place_bytes_of_receive = 16;

// What an exchange itself takes beside its messages.
constexpr int64_t exchange_bytes = 1344;

// A heap block's own bookkeeping, and the counters of memory that is shared.
constexpr int64_t heap_block_bytes = 32;

class Sum {
public:
    int64_t bytes() const { return bytes_; }

    void add(int64_t bytes) { bytes_ += bytes; }

    void add(std::span<const plan::StridedCopy> copies) {
        for (const plan::StridedCopy &copy : copies)
            add(copy);
    }

    // The messages of one form share its copies.
    void add(const std::vector<plan::Message> &messages, int64_t bytes_beside) {
        std::set<const void *> forms;
        for (const plan::Message &m : messages)
            if (forms.insert(&m.copies.form()).second)
                add(m.copies.form());
        bytes_ += std::ssize(messages) * (int64_t{sizeof(plan::Message)} + bytes_beside);
    }

    // A copy stands in the plan and, with its kernel, in what exec binds to it.
    void add(const plan::StridedCopy &copy) {
        bytes_ += int64_t{sizeof(plan::StridedCopy)} + int64_t{sizeof(kernel::BoundCopy)} + 2 * heap_block_bytes;
        if (copy.tables.empty())
            return;
        bytes_ += int64_t{sizeof(kernel::TableWalk)} + int64_t{sizeof(kernel::BoundCopy)} + 2 * heap_block_bytes;
        for (const plan::Table &table : copy.tables) {
            bytes_ += 4 * (int64_t{sizeof(plan::Table)} + heap_block_bytes);
            if (tables_.insert(table.entries.memory()).second)
                bytes_ += table.entries.heap_bytes();
        }
    }

private:
    int64_t bytes_ = 0;
    std::set<const void *> tables_;
};

// A piece stands in the plan and, with what moves it, in the arranger.
int64_t bytes_of(const std::vector<plan::Piece> &pieces) {
    int64_t bytes = 0;
    for (const plan::Piece &piece : pieces)
        bytes += int64_t{sizeof(plan::Piece)} + kernel::Arranger::bytes_for(piece);
    return bytes;
}

} // namespace

HeldBytes plan_bytes(const plan::Plan &plan, int64_t send_exchanges, bool in_order) {
    Sum source, sink;
    source.add(plan.sends, shared_bytes_of_send + send_exchanges * exchange_bytes_of_send +
                               (in_order ? 0 : bytes_without_order));
    source.add(send_exchanges * exchange_bytes);
    sink.add(plan.receives, bytes_of_receive);
    for (const plan::StridedCopy &copy : plan.self)
        if (plan.in_place && plan::is_identity_in_place(copy)) // not bound: it moves nothing
            sink.add(int64_t{sizeof(plan::StridedCopy)});
        else
            sink.add(copy);
    sink.add(plan.zeros);
    for (const plan::Pull &pull : plan.pulls)
        sink.add(pull.copies);
    HeldBytes bytes{source.bytes(), sink.bytes()};
    bytes.source += std::ssize(plan.pullers) * int64_t{sizeof(plan::Puller)};
    bytes.sink += std::ssize(plan.pulls) * int64_t{sizeof(plan::Pull)};
    if (plan.in_place) {
        bytes.source += bytes_of(plan.in_place->before);
        bytes.sink += bytes_of(plan.in_place->after);
        bytes.sink += std::ssize(plan.receives) * in_place_bytes_of_receive;
    }
    return bytes;
}

} // namespace dri::exec
