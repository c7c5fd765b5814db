// Looks up endpoints, with a small table per thread. An entry holds as long as no endpoint has been
// declared, committed or destroyed.
#include "api/lookup.hpp"

#include "api/generation.hpp"
#include "api/state.hpp"

#include <array>
#include <cstring>

namespace dri::api {

namespace {

// An entry of an earlier generation is not used. The pointer is weak: a thread that makes no further call keeps no
// transfer in memory.
struct Found {
    uint64_t at = 0; // the generation
    uint64_t id = 0; // the handle; 0: found by name
    std::weak_ptr<commit::Endpoint> endpoint;

    std::shared_ptr<commit::Endpoint> get(uint64_t now, const char *name, uint64_t handle) const {
        if (at != now || id != handle)
            return nullptr;
        auto found = endpoint.lock();
        if (found && handle == 0 && std::strcmp(found->declaration().name.c_str(), name) != 0)
            found = nullptr;
        return found;
    }
};

// What a thread remembers.
struct LookupTable {
    LookupTable() = default;
    ~LookupTable();
    LookupTable(const LookupTable &) = delete;
    LookupTable &operator=(const LookupTable &) = delete;

    static constexpr size_t size = 64;
    alignas(64) std::array<Found, size> entries;
};

// Plain data, so that a call reaches it without asking whether it was made. A thread that ends loses its table,
// but may still make calls.
struct ThisThread {
    LookupTable *table = nullptr; // made by the first call
    uint32_t last_named = 0;      // the entry of the last call by name
    bool ends = false;
};
thread_local ThisThread this_thread;

LookupTable::~LookupTable() { this_thread = {.table = nullptr, .last_named = 0, .ends = true}; }

// Null if the thread ends.
LookupTable *table_of_thread() {
    ThisThread &thread = this_thread;
    if (!thread.table && !thread.ends) {
        thread_local LookupTable table;
        thread.table = &table;
    }
    return thread.table;
}

// Handles are numbered in the order of their tables, so those of a program rarely share an entry.
uint32_t entry_of(const char *name, uint64_t id) {
    uint64_t mixed = id;
    if (id == 0)
        for (const char *c = name; *c != 0; ++c)
            mixed = mixed * 31 + static_cast<unsigned char>(*c);
    return static_cast<uint32_t>(mixed % LookupTable::size);
}

// The endpoint of a handle, or with id 0 one of a name.
std::shared_ptr<commit::Endpoint> look_up(const char *name, uint64_t id) {
    const auto running = session(); // refuses a forked child
    return id == 0 ? running->find(name) : get(DRI_Xfer{id});
}

// The same, as this thread remembers it. The generation is read before the lookup: if an endpoint is declared,
// committed or destroyed meanwhile, the entry does not count.
std::shared_ptr<commit::Endpoint> find(const char *name, uint64_t id) {
    const uint64_t now = current_generation.load(std::memory_order_acquire);
    LookupTable *const table = table_of_thread();
    if (!table)
        return look_up(name, id);
    if (id == 0)
        if (auto known = table->entries[this_thread.last_named].get(now, name, id))
            return known;
    const uint32_t entry = entry_of(name, id);
    if (id == 0)
        this_thread.last_named = entry;
    if (auto known = table->entries[entry].get(now, name, id))
        return known;
    auto endpoint = look_up(name, id);
    table->entries[entry] = {now, id, endpoint};
    return endpoint;
}

} // namespace

std::shared_ptr<commit::Endpoint> get_endpoint(DRI_Xfer xfer) {
    if (xfer.id != 0)
        return find(nullptr, xfer.id);
    session();
    return get(xfer); // fails, because the handle is null
}

std::shared_ptr<commit::Endpoint> get_endpoint(DRI_Xfer xfer, commit::Role role, const char *call) {
    auto endpoint = get_endpoint(xfer);
    const commit::Declaration &d = endpoint->declaration();
    if (d.role != role)
        fail(DRI_ERR_ARG, "{} requires a {}, but the handle is a {} of transfer '{}'", call,
             commit::role_name(role), commit::role_name(d.role), d.name);
    return endpoint;
}

Called get_called(const char *name, DRI_Xfer xfer) {
    if (xfer.id == 0 && !name) {
        session();
        require_pointer(name, "name");
    }
    auto endpoint = find(name, xfer.id);
    if (xfer.id == 0)
        return {std::move(endpoint), commit::Moves::all_of_name};
    if (name && endpoint->declaration().name != name)
        fail(DRI_ERR_ARG, "the handle is an endpoint of transfer '{}', not of '{}'", endpoint->declaration().name,
             name);
    const bool in_place = endpoint->committed() && endpoint->declaration().attributes.in_place != DRI_OUT_OF_PLACE;
    return {std::move(endpoint), in_place ? commit::Moves::all_of_name : commit::Moves::endpoint};
}

} // namespace dri::api
