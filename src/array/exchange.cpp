// Declares the source in the owned elements, and a sink for each window.
#include "array/exchange.hpp"

#include "base/env.hpp"
#include "base/failures.hpp"
#include "outer/agree.hpp"

#include <dri/env.h>
#include <dri/stream.h>

#include <algorithm>
#include <cstdlib>

namespace dri::array {

namespace {

// What the sinks have: which have elements on any process, and the most bytes that any process gets.
struct SinkUse {
    std::vector<bool> used;
    int64_t most_bytes = 0;
};
SinkUse use_of_sinks(DRI_Group group, const TransferShape &of, const std::vector<ExchangeBox> &sinks) {
    std::vector<int64_t> mine;
    for (const ExchangeBox &sink : sinks)
        mine.push_back(volume_of(sink.box, of.ndims));
    std::vector<int64_t> all(mine.size() * of.ranks.size());
    outer::require(DRI_group_gather(group, DRI_SUCCESS, mine.data(), static_cast<int64_t>(mine.size() * 8),
                                    nullptr, all.data(), static_cast<int64_t>(all.size() * 8)));
    SinkUse made{std::vector<bool>(sinks.size()), 0};
    for (size_t i = 0; i < all.size(); ++i) {
        made.used[i % sinks.size()] = made.used[i % sinks.size()] || all[i] > 0;
        made.most_bytes = std::max(made.most_bytes, all[i]);
    }
    size_t element_bytes = 0;
    outer::require(DRI_type_get_size(of.type, &element_bytes, nullptr));
    if (__builtin_mul_overflow(made.most_bytes, static_cast<int64_t>(element_bytes), &made.most_bytes))
        made.most_bytes = INT64_MAX;
    return made;
}

// Readers of a node read memory of the caller in pieces of this many bytes or more. For shorter ones the source
// would copy all that it owns in each frame, while a message takes what is needed.
constexpr int64_t least_direct_bytes = 4096;

std::optional<int64_t> milliseconds_of(Setting name) {
    const auto text = setting(name);
    return text ? std::optional(static_cast<int64_t>(std::strtod(text->c_str(), nullptr) * 1000)) : std::nullopt;
}

} // namespace

int64_t set_up_deadline_ms() { return milliseconds_of(Setting::setup_timeout).value_or(300000); }

int64_t deadline_ms(std::optional<int64_t> timeout_ms) {
    if (!timeout_ms)
        timeout_ms = milliseconds_of(Setting::timeout);
    return timeout_ms ? *timeout_ms : set_up_deadline_ms();
}

void change_timeout(std::span<const outer::OwnedXfer> ends, std::optional<int64_t> &last,
                    std::optional<int64_t> timeout_ms) {
    if (last == timeout_ms)
        return;
    for (const outer::OwnedXfer &end : ends)
        outer::require(DRI_xfer_set_attr(end.get(), DRI_ATTR_TIMEOUT_MS, deadline_ms(timeout_ms)));
    last = timeout_ms;
}

void ElementExchange::rebind(size_t end, std::byte *data) {
    outer::require(DRI_xfer_rebind(ends[end].get(), data));
}

void ElementExchange::let_go() noexcept {
    alignas(64) static std::byte nowhere[64];
    if (!outer::library_runs())
        return;
    const QuietFailures quiet;
    const std::string message = DRI_error_message();
    for (const outer::OwnedXfer &end : ends)
        if (const int code = DRI_xfer_rebind(end.get(), nowhere); code != DRI_SUCCESS)
            static_cast<void>(DRI_fail(code, message.c_str()));
}

void ElementExchange::give_up() noexcept {
    if (!outer::library_runs())
        return;
    const QuietFailures quiet;
    const std::string message = DRI_error_message();
    for (; !ends.empty(); ends.pop_back()) { // sinks before the source
        DRI_Xfer end = ends.back().release();
        if (const int code = DRI_xfer_abandon(&end); code != DRI_SUCCESS)
            static_cast<void>(DRI_fail(code, message.c_str()));
    }
}

void ElementExchange::start(std::optional<int64_t> timeout) {
    if (under_way_)
        return;
    change_timeout(ends, timeout_ms, timeout);
    require_or_break(DRI_start(name_.c_str(), DRI_XFER_NULL));
    under_way_.publish(true);
}

void ElementExchange::wait(std::optional<int64_t> timeout) {
    if (!under_way_)
        return;
    change_timeout(ends, timeout_ms, timeout);
    const int code = DRI_wait(name_.c_str(), DRI_XFER_NULL);
    under_way_.publish(code == DRI_ERR_TIMEOUT);
    require_or_break(code);
}

void ElementExchange::require_or_break(int code) {
    broken_ = broken_ || (code != DRI_SUCCESS && code != DRI_ERR_TIMEOUT);
    outer::require(code);
}

outer::OwnedDist exact_dist(DRI_Gdo gdo, int ndims, const DRI_Box &box, DRI_Group group) {
    DRI_Part_tuple tuples[DRI_MAX_DIMS]{};
    const bool empty = is_empty(box, ndims);
    for (int d = 0; d < ndims; ++d)
        tuples[d] = {0, empty ? 0 : box.offset[d], empty ? 0 : box.offset[d] + box.size[d], 0};
    outer::OwnedPart part;
    outer::require(DRI_part_create(ndims, tuples, part.out()));
    outer::OwnedDist dist;
    outer::require(DRI_dist_create(gdo, part.get(), group, dist.out()));
    return dist;
}

outer::OwnedXfer make_end(const std::string &name, DRI_Role role, DRI_Dist dist, int ndims, const ExchangeBox &at,
                          std::optional<int64_t> timeout_ms) {
    outer::OwnedLayout layout;
    const bool empty = is_empty(at.box, ndims);
    if (!empty)
        outer::require(DRI_layout_create(ndims, at.steps, layout.out()));
    void *buffer = empty ? nullptr : at.data;
    outer::OwnedXfer end;
    outer::require(
        DRI_xfer_create(name.c_str(), role, dist, empty ? DRI_ROW_MAJOR : layout.get(), 1, &buffer, end.out()));
    outer::require(DRI_xfer_set_attr(end.get(), DRI_ATTR_TIMEOUT_MS, deadline_ms(timeout_ms)));
    return end;
}

std::shared_ptr<ElementExchange> make_transfer(const TransferShape &of, const char *operation,
                                               const ExchangeBox &source, const std::vector<ExchangeBox> &sinks,
                                               std::optional<int64_t> timeout_ms, Rebinds moves) {
    const int n = of.ndims;
    outer::OwnedGroup group;
    outer::require(DRI_group_create(static_cast<int>(of.ranks.size()), of.ranks.data(), group.out()));
    const outer::Partners scope{group.get(), of.ranks};
    outer::OwnedGdo gdo;
    const std::string name = outer::agree(scope, of.called_with, operation, [&] {
        outer::require(DRI_gdo_create(n, of.type, of.shape, gdo.out()));
    });
    const SinkUse use = use_of_sinks(group.get(), of, sinks);
    const std::vector<bool> &used = use.used;
    if (std::find(used.begin(), used.end(), true) == used.end())
        return nullptr;
    const outer::OwnedDist from = exact_dist(gdo.get(), n, source.box, group.get());
    std::vector<outer::OwnedDist> to(sinks.size());
    auto made = std::make_shared<ElementExchange>(fmt::format("{}:{}", operation, name));
    for (size_t i = 0; i < sinks.size(); ++i)
        if (used[i])
            to[i] = exact_dist(gdo.get(), n, sinks[i].box, group.get());
    const bool is_apart = of.is_callers && use.most_bytes < least_direct_bytes;
    outer::agree(scope, of.called_with, operation, [&] {
        made->ends.push_back(make_end(made->name(), DRI_SOURCE, from.get(), n, source, timeout_ms));
        if (moves == Rebinds::all)
            outer::require(DRI_xfer_set_attr(made->ends.back().get(), DRI_ATTR_REBIND, 1));
        for (size_t i = 0; i < sinks.size(); ++i) {
            if (!used[i])
                continue;
            made->ends.push_back(make_end(made->name(), DRI_SINK, to[i].get(), n, sinks[i], timeout_ms));
            made->sinks.push_back(i);
            if (moves != Rebinds::none)
                outer::require(DRI_xfer_set_attr(made->ends.back().get(), DRI_ATTR_REBIND, 1));
        }
        for (const outer::OwnedXfer &end : made->ends)
            if (is_apart)
                outer::require(DRI_xfer_set_attr(end.get(), DRI_ATTR_WAYS, DRI_WAY_SELF | DRI_WAY_MESSAGE));
    });
    std::vector<DRI_Xfer> handles;
    for (const outer::OwnedXfer &end : made->ends)
        handles.push_back(end.get());
    outer::require(DRI_commit_ends(group.get(), static_cast<int>(handles.size()), handles.data()));
    made->timeout_ms = timeout_ms;
    return made;
}

std::shared_ptr<ElementExchange> make_exchange(const outer::Storage &storage, const char *operation,
                                               const std::vector<ExchangeBox> &sinks,
                                               std::optional<int64_t> timeout_ms, Rebinds moves) {
    TransferShape of{storage.type, storage.ranks, storage.ndims, {}, {}};
    std::copy(storage.shape, storage.shape + storage.ndims, of.shape);
    of.is_callers = storage.is_callers;
    Writer key;
    put(key, storage.rule);
    key.put(storage.pitch).put(static_cast<int64_t>(sinks.size())).put(std::string_view(operation));
    of.called_with = digest(key.take());
    const DRI_Box &own = storage.owned[static_cast<size_t>(storage.position)];
    return make_transfer(of, operation, {own, storage.data, storage.steps}, sinks, timeout_ms, moves);
}

} // namespace dri::array
