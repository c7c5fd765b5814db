// Memory that the user takes from the library: where it lies, and how other processes find it.
#include "transport/opened_memory.hpp"
#include "transport/shared_source.hpp"
#include "transport/user_memory.hpp"
#include "unit/transport_threads.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <future>

namespace dri::test {

using namespace dri;

namespace {

std::function<void()> while_pages_go_back; // called in the system call that frees memory of a shared file

int64_t files_open() {
    int64_t n = 0;
    for ([[maybe_unused]] const auto &file : std::filesystem::directory_iterator("/proc/self/fd"))
        ++n;
    return n;
}

} // namespace

// Buffers of several sources in memory that the user has taken: pullers map that memory once.
TEST(SharedSource, BuffersMayLieInMemoryOfTheUser) {
    transport::UserMemory user;
    std::byte *const memory = user.take(20000, 64);
    const auto where = [&](int64_t offset) {
        const auto found = user.find(memory + offset);
        return transport::Elsewhere{.memory = found->memory, .offset = found->offset};
    };
    const transport::SharedSource first(1, 2, 100, 8, {where(0), transport::Elsewhere{}}),
        second(1, 1, 100, 8, {where(9000)});
    EXPECT_FALSE(first.is_shared(0));
    EXPECT_TRUE(first.is_shared(1));
    const auto opened = std::make_shared<transport::OpenedMemory>();
    transport::SourceView one(first.handle(0), opened), two(second.handle(0), opened);
    EXPECT_FALSE(one.reads());
    memory[99] = std::byte{5};
    memory[9000] = std::byte{6};
    EXPECT_EQ(one.memory(2).mapped[99], std::byte{5});
    EXPECT_EQ(two.memory(0).mapped[0], std::byte{6});
    EXPECT_EQ(two.memory(0).mapped - one.memory(0).mapped, 9000) << "it is mapped once";
    EXPECT_NE(one.memory(0).mapped, memory);
}

// The buffer of a source moves through many pieces, each freed after its frame, and through other memory.
TEST(SharedSource, TheBufferMayMove) {
    for (const transport::Moving moving : {transport::Moving::read, transport::Moving::copied}) {
        transport::UserMemory user;
        transport::SharedSource source(1, 1, 100, 8, {}, 0, moving);
        const transport::SourceHandle handle = source.handle(0);
        EXPECT_EQ(handle.reads, moving == transport::Moving::read);
        transport::SourceView view(handle, std::make_shared<transport::OpenedMemory>());
        const auto hand_over = [&](int64_t frame, const transport::Elsewhere &where) {
            std::memcpy(source.note(0), &where, sizeof where);
            source.hand_over(frame + 1);
            return view.memory(frame);
        };
        source.buffer(0)[7] = std::byte{77};
        EXPECT_EQ(view.memory(0).mapped[7], std::byte{77}) << "until it moves";
        const int64_t files = files_open();
        std::byte *stays = user.take(200, 64);
        for (int64_t frame = 0; frame < 50; ++frame) {
            std::byte *const memory = frame % 3 == 0 ? stays : user.take(200, 64);
            memory[17] = static_cast<std::byte>(frame + 1);
            const auto found = user.find(memory + 10);
            const auto at = hand_over(frame, {.memory = found->memory, .offset = found->offset});
            EXPECT_EQ(at.mapped[7], static_cast<std::byte>(frame + 1)) << frame;
            if (memory != stays)
                user.free(memory, [](const std::byte *, int64_t) {});
        }
        EXPECT_EQ(files_open(), files + 1) << "the file of the user's memory";
        const auto read = hand_over(50, {.address = 4711});
        EXPECT_EQ(read.mapped, nullptr);
        EXPECT_EQ(read.address, 4711u);
        EXPECT_EQ(hand_over(51, {}).mapped[7], std::byte{77}) << "in the source's shared memory";
    }
}

TEST(UserMemory, IsAlignedZeroedAndFound) {
    transport::UserMemory user;
    const auto nothing = [](const std::byte *, int64_t) {};
    std::vector<std::byte *> all;
    const int64_t files = files_open();
    for (const auto &[bytes, alignment] : {std::pair<int64_t, int64_t>{0, 64},
                                           {1, 64},
                                           {5000, 64},
                                           {100, 8192},
                                           {int64_t{5} << 20, 64},
                                           {3, 1 << 22}}) {
        std::byte *const at = all.emplace_back(user.take(bytes, alignment));
        EXPECT_EQ(reinterpret_cast<uintptr_t>(at) % static_cast<uintptr_t>(alignment), 0u);
        EXPECT_TRUE(std::all_of(at, at + bytes, [](std::byte b) { return b == std::byte{}; }));
        std::fill_n(at, bytes, std::byte{9});
        EXPECT_EQ(user.find(at)->left, bytes);
        if (bytes > 0) {
            EXPECT_EQ(user.find(at + bytes - 1)->left, 1);
        }
        EXPECT_FALSE(user.find(at - 1));
        EXPECT_FALSE(user.find(at + std::max<int64_t>(bytes, 1)));
    }
    EXPECT_EQ(files_open(), files + 1) << "one file for all";
    int there = 0;
    EXPECT_EQ(code_of([&] { user.free(all[2] + 1, nothing); }), DRI_ERR_ARG);
    EXPECT_EQ(code_of([&] { user.free(&there, nothing); }), DRI_ERR_ARG);
    EXPECT_EQ(code_of([&] { user.free(all[2], [](const std::byte *, int64_t) { fail(DRI_ERR_STATE, "no"); }); }),
              DRI_ERR_STATE);
    EXPECT_TRUE(user.find(all[2])) << "a refused call changes nothing";
    const auto freed = user.find(all[2]);
    user.free(all[2], nothing);
    EXPECT_FALSE(user.find(all[2]));
    EXPECT_EQ(code_of([&] { transport::SharedMemory::open(freed->memory); }), DRI_ERR_TRANSPORT);
    EXPECT_EQ(code_of([&] { user.free(all[2], nothing); }), DRI_ERR_ARG);
    EXPECT_FALSE(user.reserve(&there, 4));
    EXPECT_TRUE(user.reserve(all[4], 5 << 20));
    EXPECT_EQ(all[4][(5 << 20) - 1], std::byte{9}) << "contents stay";
    EXPECT_EQ(code_of([&] { user.take(int64_t{1} << 61, 64); }), DRI_ERR_MEMORY);
}

// Another process maps the memory still, but its pages are gone.
TEST(UserMemory, IsReturnedToTheSystemWhenItIsFreed) {
    transport::UserMemory user;
    std::byte *const at = user.take(1 << 20, 64);
    at[5000] = std::byte{1};
    const transport::SharedMemory theirs = transport::SharedMemory::open(user.find(at)->memory);
    const std::byte *const seen = theirs.data() + user.find(at)->offset + 5000;
    EXPECT_EQ(*seen, std::byte{1});
    user.free(at, [](const std::byte *, int64_t) {});
    EXPECT_EQ(*seen, std::byte{0});
}

// To free pages takes the system long. Meanwhile other threads find their memory.
TEST(UserMemory, IsFoundWhileOtherMemoryGoesBack) {
    transport::UserMemory user;
    std::byte *const freed = user.take(1 << 20, 64), *const stays = user.take(100, 64);
    std::future<bool> found; // outlives the call that it may have to wait for
    while_pages_go_back = [&] {
        found = std::async(std::launch::async, [&] { return user.find(stays) && !user.find(freed); });
        EXPECT_EQ(found.wait_for(std::chrono::seconds(10)), std::future_status::ready);
    };
    user.free(freed, [](const std::byte *, int64_t) {});
    while_pages_go_back = nullptr;
    ASSERT_TRUE(found.valid()) << "no pages went back";
    EXPECT_TRUE(found.get());
}

} // namespace dri::test

// In front of the C library's.
extern "C" int fallocate(int file, int mode, off_t offset, off_t length) {
    if (dri::test::while_pages_go_back)
        dri::test::while_pages_go_back();
    return static_cast<int>(syscall(SYS_fallocate, file, mode, offset, length));
}
