// Encodes and decodes the messages of collective steps. A mark at the start distinguishes them from others.
#include "transport/packet.hpp"

namespace dri::transport {

namespace {

// "DRIS" in ASCII, as a number.
constexpr uint32_t packet_mark = 0x44524953;

} // namespace

const char *name(Operation operation) {
    switch (operation) {
    case Operation::all_gather: return "gather contents";
    case Operation::agree: return "agree on an outcome";
    case Operation::max_counters: return "agree on tags";
    case Operation::decide: return "match names";
    case Operation::agree_on_halvings: return "agree on lengths";
    case Operation::reduce_costs: return "compare costs";
    }
    return "an unknown operation";
}

Bytes encode(const Packet &packet) {
    Writer out;
    out.put(packet_mark);
    put(out, packet.label.group);
    out.put(packet.label.members);
    out.put(packet.label.operation);
    out.put(packet.direction);
    out.put(packet.sequence);
    out.put(packet.begun);
    put(out, packet.left);
    out.put(packet.stamp);
    out.put(packet.failed);
    out.put(std::span<const std::byte>(packet.content));
    return out.take();
}

Packet decode_packet(const Bytes &bytes, int peer) {
    Reader in(bytes);
    // A message without the mark is not from a collective step: its sender makes another call than this process.
    if (bytes.size() < sizeof packet_mark || in.get<uint32_t>() != packet_mark)
        fail(DRI_ERR_MISMATCH, "process {} sent a message that belongs to no collective step", peer);
    Packet packet;
    packet.label.group = get_digest(in);
    packet.label.members = in.get<int64_t>();
    packet.label.operation = in.get<Operation>();
    packet.direction = in.get<Direction>();
    packet.sequence = in.get<uint64_t>();
    packet.begun = in.get<uint64_t>();
    packet.left = get_digest(in);
    packet.stamp = in.get<uint64_t>();
    packet.failed = in.get<bool>();
    packet.content = in.get_bytes();
    return packet;
}

Bytes encode(const Failure &failure) {
    Writer out;
    out.put(failure.code);
    out.put(std::string_view(failure.message));
    out.put_all(failure.missing);
    return out.take();
}

Failure decode_failure(const Bytes &bytes) {
    Reader in(bytes);
    Failure failure;
    failure.code = in.get<DRI_Code>();
    failure.message = in.get_string();
    failure.missing = in.get_all<std::vector<int>>();
    return failure;
}

} // namespace dri::transport
