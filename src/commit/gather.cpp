// One step carries everything: codes, messages, capacities and bytes.
#include "commit/gather.hpp"

#include "base/wire.hpp"
#include "transport/collective.hpp"

namespace dri::commit {

namespace {

Digest order_of(const model::Group &asked) {
    Writer order;
    put(order, asked);
    return digest(order.take());
}

// What all bring is in the order of the group, so all must name it in the same order.
void check_order(const model::Group &group, const std::vector<Bytes> &contents) {
    const auto order_at = [&](size_t position) {
        Reader in(contents[position]);
        return get_digest(in);
    };
    for (size_t i = 1; i < contents.size(); ++i)
        if (order_at(i) != order_at(0))
            fail(DRI_ERR_MISMATCH,
                 "processes {} and {} name the processes of the group in different orders, so they would see the "
                 "bytes of all in different orders",
                 group.rank(0), group.rank(static_cast<int>(i)));
}

} // namespace

GatheredBytes gather(const Party &party, const model::Group &asked, const std::function<Brought()> &make) {
    Brought brought;
    const transport::Outcome mine = outcome_of([&] { brought = make(); }, party.transport.rank());
    Writer content;
    put(content, order_of(asked));
    content.put(mine.code);
    content.put(std::string_view(mine.message));
    content.put(brought.capacity);
    content.put(brought.bytes);
    const std::vector<Bytes> contents =
        transport::all_gather(party.transport, party.step("gather values"), content.take());
    check_order(party.group, contents);
    GatheredBytes gathered;
    for (const int rank : asked.ranks()) {
        Reader in(contents[static_cast<size_t>(*party.group.position(rank))]);
        get_digest(in);
        const auto code = in.get<DRI_Code>();
        const std::string message = in.get_string();
        if (code != DRI_SUCCESS)
            fail_with({code, message, rank}, mine);
        const auto capacity = in.get<int64_t>();
        if (gathered.sizes.empty() || capacity < gathered.capacity) {
            gathered.smallest = rank;
            gathered.capacity = capacity;
        }
        const Bytes bytes = in.get_bytes();
        gathered.sizes.push_back(std::ssize(bytes));
        gathered.all.insert(gathered.all.end(), bytes.begin(), bytes.end());
    }
    return gathered;
}

void require_capacity(const GatheredBytes &gathered) {
    if (std::ssize(gathered.all) > gathered.capacity)
        fail(DRI_ERR_LIMIT, "all processes together bring {} bytes, but the capacity of process {} is {}",
             gathered.all.size(), gathered.smallest, gathered.capacity);
}

} // namespace dri::commit
