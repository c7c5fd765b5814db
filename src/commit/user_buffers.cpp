// Looks at the addresses of buffers. Nothing is reserved, and nothing is read or written.
#include "commit/user_buffers.hpp"

#include "transport/remote_memory.hpp"

#include <unistd.h>

#include <algorithm>

namespace dri::commit {

namespace {

// The user's buffers of all endpoints of a name, to find those that share memory. Neighbours in the order of
// addresses are compared: if any two buffers overlap, two neighbours do.
class BufferMap {
public:
    void add(const Endpoint &endpoint) {
        const Declaration &d = endpoint.declaration();
        if (endpoint.buffer_bytes() == 0)
            return;
        for (size_t i = 0; i < d.buffers.size(); ++i)
            if (d.buffers[i])
                ranges_.push_back(
                    {static_cast<std::byte *>(d.buffers[i]), endpoint.buffer_bytes(), role_name(d.role), i});
    }

    void check(const std::string &name) {
        std::sort(ranges_.begin(), ranges_.end(),
                  [](const Range &a, const Range &b) { return a.begin < b.begin; });
        for (size_t i = 1; i < ranges_.size(); ++i) {
            const Range &a = ranges_[i - 1], &b = ranges_[i];
            if (b.begin - a.begin < a.bytes)
                fail(DRI_ERR_ARG, "transfer '{}': buffer {} of the {} and buffer {} of the {} share memory", name,
                     a.index, a.role, b.index, b.role);
        }
    }

private:
    struct Range {
        std::byte *begin;
        int64_t bytes;
        const char *role;
        size_t index;
    };
    std::vector<Range> ranges_;
};

std::vector<const Endpoint *> endpoints_of(const Planned &planned) {
    std::vector<const Endpoint *> endpoints;
    if (planned.source_endpoint)
        endpoints.push_back(planned.source_endpoint.get());
    for (const PlannedFlow &flow : planned.flows)
        if (flow.endpoint)
            endpoints.push_back(flow.endpoint.get());
    return endpoints;
}

// The size that the user has stated.
void check_stated_size(const Declaration &d, int64_t needed, int rank) {
    const bool any_given =
        std::any_of(d.buffers.begin(), d.buffers.end(), [](const void *buffer) { return buffer != nullptr; });
    if (any_given && d.attributes.buffer_bytes < needed)
        fail(
            DRI_ERR_ARG,
            "transfer '{}': the user's buffers of the {} of process {} have {} bytes (DRI_ATTR_BUFFER_BYTES), but "
            "each needs {}",
            d.name, role_name(d.role), rank, d.attributes.buffer_bytes, needed);
}

// Buffers in memory of DRI_alloc end inside it.
void check_ends(const Declaration &d, int64_t needed, int rank, const transport::UserMemory &memory) {
    for (size_t i = 0; i < d.buffers.size(); ++i)
        if (const auto found = d.buffers[i] ? memory.find(d.buffers[i]) : std::nullopt;
            found && found->left < needed)
            fail(DRI_ERR_ARG,
                 "transfer '{}': buffer {} of the {} of process {} has {} bytes to the end of its memory from "
                 "DRI_alloc, but needs {}",
                 d.name, i, role_name(d.role), rank, found->left, needed);
}

} // namespace

// A buffer that changes is the only one: frames of several buffers would each need an address of their own.
void check_one_buffer(const Planned &planned) {
    for (const Endpoint *endpoint : endpoints_of(planned))
        if (const Declaration &d = endpoint->declaration(); d.attributes.rebind && d.num_buffers() != 1)
            fail(DRI_ERR_ARG,
                 "transfer '{}': the {} of process {} has DRI_ATTR_REBIND and {} buffers, but must have one",
                 d.name, role_name(d.role), planned.matched->rank, d.num_buffers());
}

void check_apart(const Planned &planned) {
    BufferMap buffers;
    for (const Endpoint *endpoint : endpoints_of(planned))
        buffers.add(*endpoint);
    buffers.check(planned.matched->name);
}

// In place a buffer holds the part of either endpoint.
void check_sizes(const Planned &planned, const transport::UserMemory &memory) {
    const std::vector<const Endpoint *> endpoints = endpoints_of(planned);
    int64_t largest = 0;
    for (const Endpoint *endpoint : endpoints)
        largest = std::max(largest, endpoint->buffer_bytes());
    for (const Endpoint *endpoint : endpoints) {
        const int64_t needed = in_place(planned) ? largest : endpoint->buffer_bytes();
        check_stated_size(endpoint->declaration(), needed, planned.matched->rank);
        check_ends(endpoint->declaration(), needed, planned.matched->rank, memory);
    }
}

// Tested by reading them from this process in the same way.
bool are_readable(const Endpoint &endpoint, const transport::UserMemory &memory) {
    const auto &buffers = endpoint.declaration().buffers;
    return std::all_of(buffers.begin(), buffers.end(), [&](const void *buffer) {
        return !buffer || memory.find(buffer) ||
               transport::can_read(getpid(), transport::address_of(buffer), endpoint.buffer_bytes());
    });
}

bool can_be_mapped(std::span<void *const> buffers, const transport::UserMemory &memory) {
    return std::all_of(buffers.begin(), buffers.end(),
                       [&](const void *buffer) { return !buffer || memory.find(buffer); });
}

std::vector<transport::Elsewhere> find_elsewhere(std::span<void *const> buffers,
                                                 const transport::UserMemory &memory, bool reads) {
    std::vector<transport::Elsewhere> elsewhere;
    for (const void *buffer : buffers) {
        transport::Elsewhere &where = elsewhere.emplace_back();
        if (const auto found = buffer ? memory.find(buffer) : std::nullopt)
            where = {.memory = found->memory, .offset = found->offset};
        else if (buffer && reads)
            where = {.address = transport::address_of(buffer)};
    }
    const bool any = std::any_of(elsewhere.begin(), elsewhere.end(),
                                 [](const transport::Elsewhere &where) { return where.any(); });
    return any ? elsewhere : std::vector<transport::Elsewhere>{};
}

} // namespace dri::commit
