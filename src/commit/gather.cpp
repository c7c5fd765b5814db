// One step carries everything: codes, messages, capacities and bytes.
#include "commit/gather.hpp"

#include "base/wire.hpp"
#include "transport/collective.hpp"

namespace dri::commit {

GatheredBytes gather(const Party &party, const model::Group &asked, const std::function<Brought()> &make) {
    Brought brought;
    const transport::Outcome mine = outcome_of([&] { brought = make(); }, party.transport.rank());
    Writer content;
    content.put(mine.code);
    content.put(std::string_view(mine.message));
    content.put(brought.capacity);
    content.put(brought.bytes);
    const std::vector<Bytes> contents =
        transport::all_gather(party.transport, party.step("gather"), content.take());
    GatheredBytes gathered;
    for (const int rank : asked.ranks()) {
        Reader in(contents[static_cast<size_t>(*party.group.position(rank))]);
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
