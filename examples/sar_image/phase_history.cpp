#include "phase_history.hpp"

#include "process.hpp"

namespace sar {

void broadcast(Collection &collection) {
    std::int64_t pulses = collection.pulse_count();
    broadcast(&pulses, sizeof pulses);
    collection.pulses.resize(static_cast<std::size_t>(pulses));
    broadcast(&collection.frequency, sizeof collection.frequency);
    broadcast(collection.pulses.data(), pulses * static_cast<std::int64_t>(sizeof(Pulse)));
}

} // namespace sar
