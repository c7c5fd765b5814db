// Packed distributions: they are made again as they were, and damaged bytes are refused.
#include "model/packed.hpp"

#include "run_property.hpp"
#include "support/dice.hpp"

#include <algorithm>
#include <cstring>

namespace dri::test {

constexpr int packed_cases = 600; // each case has two distributions

namespace {

// DRI_SUCCESS, or the code of the failure.
int code_of(const Bytes &bytes, int world) {
    try {
        static_cast<void>(model::unpack(bytes, world));
    } catch (const Error &error) {
        return error.code();
    }
    return DRI_SUCCESS;
}

constexpr size_t head = 8 + 4 + 4 + 16; // mark, byte order, version, digest

// Replaces a number inside the bytes, and the digest, so that only the checks of the values are left.
Bytes forged(Bytes bytes, Dice &dice) {
    const size_t size = dice.one_of<size_t>({1, 4, 8});
    const auto last = static_cast<int64_t>(bytes.size() - size);
    if (last < static_cast<int64_t>(head))
        return bytes;
    const auto at = static_cast<size_t>(dice.range(static_cast<int64_t>(head), last));
    int64_t value = 0;
    std::memcpy(&value, bytes.data() + at, size);
    switch (dice.range(0, 3)) {
    case 0: value = dice.one_of<int64_t>({0, -1, 1, INT64_MAX, INT64_MIN, INT32_MAX, int64_t{1} << 62}); break;
    case 1: value += dice.one_of<int64_t>({-1, 1}); break;
    case 2: value ^= int64_t{1} << dice.range(0, 8 * static_cast<int64_t>(size) - 2); break;
    default: value = dice.range(-100, 100);
    }
    std::memcpy(bytes.data() + at, &value, size);
    if (dice.chance(10))
        bytes.resize(static_cast<size_t>(dice.range(static_cast<int64_t>(head), std::ssize(bytes))));
    const Digest id = digest(std::span(bytes).subspan(head));
    std::memcpy(bytes.data() + head - 16, &id.high, 8);
    std::memcpy(bytes.data() + head - 8, &id.low, 8);
    return bytes;
}

void judge_packed(const model::Distribution &dist, int world) {
    Dice dice(dist.id().low);
    const Bytes bytes = model::pack(dist);
    const model::Distribution again = model::unpack(bytes, world);
    RC_ASSERT(again.wire() == dist.wire());
    RC_ASSERT(again.id() == dist.id());
    RC_ASSERT(model::same_parts(again, dist));
    RC_ASSERT(model::to_text(again) == model::to_text(dist));
    const auto ranks = dist.group().ranks();
    RC_ASSERT(code_of(bytes, *std::max_element(ranks.begin(), ranks.end())) == DRI_ERR_ARG);
    for (int round = 0; round < 20; ++round) {
        Bytes damaged = bytes;
        const auto at = static_cast<size_t>(dice.range(0, std::ssize(bytes) - 1));
        damaged[at] ^= static_cast<std::byte>(dice.range(1, 255));
        const int code = code_of(damaged, world);
        RC_ASSERT(code == DRI_ERR_ARG || (code == DRI_ERR_UNSUPPORTED && at >= 8 && at < 16));
        damaged = bytes;
        damaged.resize(at);
        RC_ASSERT(code_of(damaged, world) == DRI_ERR_ARG);
    }
    // With a digest that fits, what can be read is a distribution like any other.
    for (int round = 0; round < 60; ++round) {
        const Bytes other = forged(bytes, dice);
        try {
            const model::Distribution made = model::unpack(other, world);
            RC_ASSERT(model::pack(made) == other);
            for (int p = 0; p < made.group().size(); ++p)
                for (size_t d = 0; d < made.ndims(); ++d)
                    RC_ASSERT(made.axis_view(p, d).extent() >= made.axis_view(p, d).owned());
        } catch (const Error &error) {
            RC_ASSERT(error.code() == DRI_ERR_ARG);
        }
    }
}

} // namespace

TEST(RandomDistributions, are_packed_and_damage_is_refused) {
    run_property(packed_cases, [] {
        const TransferCase c = *random_transfers();
        for (const SideSpec *spec : {&c.source, &c.sink})
            judge_packed(*make_side(c, *spec).dist, c.world());
    });
}

} // namespace dri::test
