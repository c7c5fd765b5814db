// Slots of messages: the one given back last is taken first, and no two messages have the same one.
#include "transport/staging.hpp"

#include "base/memory.hpp"
#include "support/dice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace dri::test {

namespace {

using transport::StagingLayout;

struct Slots {
    std::vector<transport::MessageSpec> specs;
    std::vector<int64_t> at;
    std::shared_ptr<transport::MessageMemory> memory = std::make_shared<transport::MessageMemory>();
    StagingLayout layout;
    transport::Staging staging;

    Slots(std::vector<transport::MessageSpec> all, StagingLayout::PoolBy pool, int64_t credits, bool dense = false,
          std::vector<int64_t> outside = {})
        : specs(std::move(all)), at(std::move(outside)), layout(specs, at, pool, credits, dense),
          staging(specs, at, layout, 3, *memory) {}
};

} // namespace

TEST(Staging, TheSlotThatWasGivenBackLastIsTakenFirst) {
    Slots slots(std::vector<transport::MessageSpec>(5, {1, 100}), StagingLayout::PoolBy::length, 5);
    transport::Staging &staging = slots.staging;
    for (const size_t i : {0, 1, 2})
        EXPECT_TRUE(staging.take(i));
    std::vector<std::byte *> data;
    for (const size_t i : {0, 1, 2}) {
        data.push_back(staging.data(i));
        EXPECT_EQ(data[i], data[0] + i * 128) << "the lowest slots come first";
        std::memset(data[i], 255, 100);
    }
    for (const size_t i : {1, 0, 2})
        staging.give_back(i);
    for (const size_t i : {4, 3, 2, 1, 0})
        EXPECT_TRUE(staging.take(i));
    EXPECT_EQ(staging.data(4), data[2]);
    EXPECT_EQ(staging.data(3), data[0]);
    EXPECT_EQ(staging.data(2), data[1]);
    EXPECT_EQ(staging.data(1), data[0] + 3 * 128) << "slots that nobody has touched come last";
    EXPECT_EQ(staging.data(0), data[0] + 4 * 128);
}

TEST(Staging, ASlotMayHaveOneByte) {
    Slots slots({{1, 1}, {1, 1}, {2, 1}}, StagingLayout::PoolBy::peer, 1, true);
    EXPECT_EQ(slots.layout.bytes(), 2);
    for (int turn = 0; turn < 3; ++turn)
        for (const size_t i : {0, 1}) {
            EXPECT_TRUE(slots.staging.take(i) && slots.staging.take(2));
            EXPECT_FALSE(slots.staging.take(1 - i));
            *slots.staging.data(2) = std::byte{7};
            slots.staging.give_back(i);
            EXPECT_EQ(*slots.staging.data(2), std::byte{7});
        }
}

TEST(Staging, MessagesOutsideKeepTheirPlaces) {
    constexpr int64_t in = transport::in_staging;
    Slots slots({{1, 8}, {1, 64}, {2, 8}, {1, 64}}, StagingLayout::PoolBy::all, 1, false, {0, in, 100, in});
    std::vector<std::byte> memory(200);
    slots.staging.set_origin(memory.data());
    for (int turn = 0; turn < 3; ++turn) {
        for (const size_t i : {2, 0, 1})
            EXPECT_TRUE(slots.staging.take(i));
        EXPECT_FALSE(slots.staging.take(3));
        EXPECT_EQ(slots.staging.data(2), memory.data() + 100);
        EXPECT_NE(slots.staging.slot(0), slots.staging.slot(2));
        for (size_t i = 0; i < 4; ++i)
            slots.staging.give_back(i);
        EXPECT_FALSE(slots.staging.has_slot(0) || slots.staging.has_slot(1));
    }
}

// Messages of several lengths and peers. What a message wrote stays until it gives its slot back.
TEST(Staging, SlotsNeverMeet) {
    Dice dice(20);
    for (int round = 0; round < 50; ++round) {
        std::vector<transport::MessageSpec> specs;
        for (int64_t i = dice.range(1, 60); i > 0; --i)
            specs.push_back({static_cast<int>(dice.range(0, 2)), dice.range(1, 400)});
        const bool by_length = dice.chance(50);
        Slots slots(specs, by_length ? StagingLayout::PoolBy::length : StagingLayout::PoolBy::peer,
                    dice.range(1, 9), dice.chance(50));
        transport::Staging &staging = slots.staging;
        const auto is_whole = [&](size_t i) {
            const std::byte *const data = staging.data(i);
            return std::count(data, data + specs[i].bytes, static_cast<std::byte>(i)) == specs[i].bytes;
        };
        for (int step = 0; step < 500; ++step) {
            const auto i = static_cast<size_t>(dice.range(0, std::ssize(specs) - 1));
            if (staging.has_slot(i)) {
                ASSERT_TRUE(is_whole(i));
                staging.give_back(i);
            } else if (staging.take(i)) {
                std::memset(staging.data(i), static_cast<int>(i), static_cast<size_t>(specs[i].bytes));
            } else {
                ASSERT_FALSE(by_length) << "each message has a slot";
            }
        }
    }
}

TEST(MessagePeers, AreNumberedInTheOrderInWhichTheyCome) {
    const std::vector<transport::MessageSpec> specs{{4, 1}, {4, 2}, {2, 1}, {4, 1}, {0, 1}, {0, 1}};
    const transport::MessagePeers peers(specs);
    EXPECT_EQ(peers.ranks(), (std::vector<int>{4, 2, 0}));
    for (size_t i = 0; i < specs.size(); ++i)
        EXPECT_EQ(peers.ranks()[peers.number(i)], specs[i].peer) << i;
}

} // namespace dri::test
