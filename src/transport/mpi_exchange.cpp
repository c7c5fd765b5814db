// Both directions of an exchange over MPI, and what happens when it is left or destroyed.
#include "transport/mpi_exchange.hpp"

namespace dri::transport {

MpiExchange::MpiExchange(std::shared_ptr<MpiWorld> world, std::shared_ptr<const ExchangeLayout> layout)
    : world_(std::move(world)), layout_(std::move(layout)), departures_(*layout_),
      sends_(world_, *layout_, departures_), receives_(world_, *layout_) {
    std::lock_guard lock(world_->mutex);
    world_->exchanges.insert({this, {layout_->spec.tag, &departures_}});
}

MpiExchange::~MpiExchange() {
    {
        std::lock_guard lock(world_->mutex);
        world_->exchanges.erase(this);
    }
    cancel_receives();
    try {
        if (mpi_runs() && is_quiet())
            return;
    } catch (...) {
    }
    std::lock_guard lock(world_->mutex);
    sends_.leave_to_world();
    receives_.leave_to_world();
}

bool MpiExchange::is_quiet() {
    const bool sent = sends_.all_landed();
    return receives_.is_quiet() && sent;
}

void MpiExchange::poll_departures(Look look) {
    world_->check_open();
    world_->look_for_notices(look);
}

void MpiExchange::leave(int64_t frames, Leave how) {
    const auto announce = [&](const std::vector<int> &peers, int64_t of_sender) {
        if (!peers.empty())
            world_->announce(peers, {layout_->spec.tag, of_sender, frames, how});
    };
    announce(layout_->receivers.ranks(), 1);
    announce(layout_->senders.ranks(), 0);
}

} // namespace dri::transport
