// The limits: each process copies its own part of the source to another buffer.
#include "buffer.hpp"
#include "row.hpp"
#include "streamed_copy.hpp"
#include "world.hpp"

#include <cstring>

namespace bench {

namespace {

template <class Copy> Contest prepare_copy(const Case &c, Copy copy) {
    struct Memory {
        explicit Memory(int64_t n) : source(n), sink(n) {}
        Buffer source, sink;
    };
    const auto bytes = own_part(c.source).count * c.element_bytes;
    const auto memory = on_all_or_none([bytes] { return std::make_shared<Memory>(bytes); });
    Contest contest;
    contest.source = memory->source.data();
    contest.sink = memory->sink.data();
    contest.sink_is_source_part = true;
    contest.run = [=, to = contest.sink, from = contest.source] { copy(to, from, static_cast<size_t>(bytes)); };
    contest.kept = memory;
    return contest;
}

} // namespace

Contest prepare_memcpy(const Case &c) {
    return prepare_copy(c, [](std::byte *to, const std::byte *from, size_t n) { std::memcpy(to, from, n); });
}

Contest prepare_streamed_copy(const Case &c) { return prepare_copy(c, streamed_copy()); }

} // namespace bench
