// Exchanges: what all processes own of a storage travels to windows of others, again and again.
#pragma once

#include "array/boxes.hpp"
#include "base/published.hpp"
#include "outer/owned.hpp"
#include "outer/storage.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dri::array {

// A box of dense indices of the storage, and where its elements lie: that of the first one, elements to the next.
struct ExchangeBox {
    DRI_Box box{};
    std::byte *data = nullptr;
    const int64_t *steps = nullptr;
};

// Which ends may get other memory from frame to frame.
enum class Rebinds { none, sinks, all };

class ElementExchange {
public:
    explicit ElementExchange(std::string name) : name_(std::move(name)) {}

    // Its two halves, which wait as long as this. After DRI_ERR_TIMEOUT each may be repeated and goes on where it
    // was.
    void start(std::optional<int64_t> timeout);
    void wait(std::optional<int64_t> timeout);

    bool is_under_way() const { return under_way_.read(); }
    // A half has failed other than by a timeout: no frame follows.
    bool is_broken() const { return broken_; }
    const std::string &name() const { return name_; }
    // The endpoints that the process holds.
    std::vector<outer::OwnedXfer> ends;
    std::vector<size_t> sinks; // which of those that were asked for the ends behind the first one are
    // Lets the next frame use other memory of an end, if ends move.
    void rebind(size_t end, std::byte *data);
    // Ends at once, whatever others have not taken. No frame follows.
    void give_up() noexcept;
    // Uses no memory of arrays any more. Ends are bound again before the next frame.
    void let_go() noexcept;
    // What the endpoints were made with.
    std::optional<int64_t> timeout_ms;

private:
    std::string name_;
    void require_or_break(int code);

    Published<bool> under_way_ = false; // threads ask whose arrays end
    bool broken_ = false;
};

// What a transfer is over.
struct TransferShape {
    DRI_Type type{};
    std::vector<int> ranks; // of the world, in the group's order
    int ndims = 0;
    int64_t shape[DRI_MAX_DIMS]{};
    Digest called_with;      // equal on all processes
    bool is_callers = false; // all sources lie in memory of the caller
};

// Makes the transfer. The first endpoint is the source, the others are the sinks. sinks: what this process wants,
// one box for each sink; equally many on all processes. One that is empty on all is left out; nullptr if none is
// left. operation: names the call in messages. moves: which ends rebind() may follow for.
// Collective over the processes.
std::shared_ptr<ElementExchange> make_transfer(const TransferShape &of, const char *operation,
                                               const ExchangeBox &source, const std::vector<ExchangeBox> &sinks,
                                               std::optional<int64_t> timeout_ms, Rebinds moves);
// The same, from what all processes own of a storage.
std::shared_ptr<ElementExchange> make_exchange(const outer::Storage &storage, const char *operation,
                                               const std::vector<ExchangeBox> &sinks,
                                               std::optional<int64_t> timeout_ms, Rebinds moves);

// A box as a distribution of exact pieces; each process has its own. Collective over the group.
outer::OwnedDist exact_dist(DRI_Gdo gdo, int ndims, const DRI_Box &box, DRI_Group group);
// An endpoint of one buffer. The box is empty on a process without elements.
outer::OwnedXfer make_end(const std::string &name, DRI_Role role, DRI_Dist dist, int ndims, const ExchangeBox &at,
                          std::optional<int64_t> timeout_ms);
// Lets calls of these endpoints wait that long, if it is not `last`, which it becomes.
void change_timeout(std::span<const outer::OwnedXfer> ends, std::optional<int64_t> &last,
                    std::optional<int64_t> timeout_ms);
// How long frames of arrays wait: as set, otherwise as DRI_TIMEOUT says, otherwise as long as calls of set-up.
int64_t deadline_ms(std::optional<int64_t> timeout_ms);
int64_t set_up_deadline_ms();

} // namespace dri::array
