// Encodes and decodes the messages of collective steps. A mark at the start distinguishes them from others.
#include "transport/packet.hpp"

namespace dri::transport {

namespace {

// "DRIS" in ASCII, as a number.
constexpr uint32_t packet_mark = 0x44524953;

} // namespace

Label label_of(const Step &step) {
    return {digest(std::as_bytes(step.members)), std::ssize(step.members), std::string(step.call),
            std::string(step.purpose)};
}

Bytes encode(const Packet &packet) {
    Writer out;
    out.put(packet_mark);
    put(out, packet.label.group);
    out.put(packet.label.members);
    out.put(std::string_view(packet.label.call));
    out.put(std::string_view(packet.label.purpose));
    out.put(packet.direction);
    out.put(packet.sequence);
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
    packet.label.call = in.get_string();
    packet.label.purpose = in.get_string();
    packet.direction = in.get<Direction>();
    packet.sequence = in.get<uint64_t>();
    packet.failed = in.get<bool>();
    packet.content = in.get_bytes();
    return packet;
}

Bytes encode(const Failure &failure) {
    Writer out;
    out.put(failure.code);
    out.put(std::string_view(failure.message));
    out.put_all(failure.missing);
    out.put(std::string_view(failure.reason));
    return out.take();
}

Failure decode_failure(const Bytes &bytes) {
    Reader in(bytes);
    Failure failure;
    failure.code = in.get<DRI_Code>();
    failure.message = in.get_string();
    failure.missing = in.get_all<std::vector<int>>();
    failure.reason = in.get_string();
    return failure;
}

} // namespace dri::transport
