// Shared memory and a source's counters in it: in one process, between threads, and between processes.
#include "transport/backoff.hpp"
#include "transport/memory_probe.hpp"
#include "transport/remote_memory.hpp"
#include "transport/shared_source.hpp"
#include "unit/transport_threads.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>

namespace dri::test {

using namespace dri;

namespace {

int64_t open_files() {
    int64_t n = 0;
    for ([[maybe_unused]] const auto &file : std::filesystem::directory_iterator("/proc/self/fd"))
        ++n;
    return n;
}

// Element i of frame f.
int64_t value(int64_t f, int64_t i) { return f * 1000003 + i * 7; }

transport::SourceView view_of(const transport::SourceHandle &handle) {
    return {handle, std::make_shared<transport::OpenedMemory>()};
}

// Whether a puller no longer needs the first `frames` frames.
bool has_pulled(const transport::SharedSource &source, int64_t puller, int64_t frames) {
    return source.find_lagging(puller, puller + 1, frames) > puller;
}

// Hands over `frames` frames, never further ahead of the pullers than the buffers allow.
void hand_over_frames(transport::SharedSource &source, int64_t pullers, int64_t buffers, int64_t numbers,
                      int64_t frames) {
    for (int64_t f = 0; f < frames; ++f) {
        auto *out = reinterpret_cast<int64_t *>(source.buffer(f % buffers));
        for (int64_t i = 0; i < numbers; ++i)
            out[i] = value(f, i);
        source.hand_over(f + 1);
        transport::Backoff wait(true);
        for (int64_t t = 0; t < pullers; ++t)
            while (!has_pulled(source, t, f + 2 - buffers))
                wait.pause();
    }
}

// The number of wrong elements in all frames.
int64_t take_frames(transport::SourceView &view, int64_t numbers, int64_t frames) {
    int64_t wrong = 0;
    transport::Backoff wait(true);
    for (int64_t f = 0; f < frames; ++f) {
        while (!view.has(f))
            wait.pause();
        const auto *in = reinterpret_cast<const int64_t *>(view.memory(f).mapped);
        for (int64_t i = 0; i < numbers; ++i)
            wrong += in[i] != value(f, i);
        view.take(f + 1);
    }
    return wrong;
}

} // namespace

TEST(SharedMemory, IsZeroedAlignedAndVisibleToOthers) {
    for (const int64_t bytes : {int64_t{65}, int64_t{5000}, int64_t{3} << 20}) {
        transport::SharedMemory mine = transport::SharedMemory::create(bytes, 8192);
        mine.reserve(transport::SharedMemory::token_bytes, bytes - transport::SharedMemory::token_bytes);
        EXPECT_GE(mine.bytes(), bytes);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(mine.data()) % (bytes >= 2 << 20 ? 2 << 20 : 8192), 0u);
        for (int64_t i = transport::SharedMemory::token_bytes; i < bytes; ++i)
            ASSERT_EQ(mine.data()[i], std::byte{0}) << i;
        transport::SharedMemory theirs = transport::SharedMemory::open(mine.handle());
        EXPECT_NE(theirs.data(), mine.data());
        mine.data()[bytes - 1] = std::byte{42};
        EXPECT_EQ(theirs.data()[bytes - 1], std::byte{42});
        mine = transport::SharedMemory();
        EXPECT_EQ(theirs.data()[bytes - 1], std::byte{42}) << "it outlives its owner";
    }
}

TEST(SharedMemory, WrongHandlesAreRefused) {
    transport::SharedMemory mine = transport::SharedMemory::create(5000, 64);
    const transport::MemoryHandle good = mine.handle();
    transport::MemoryHandle wrong = good;
    wrong.token ^= 1;
    EXPECT_EQ(code_of([&] { transport::SharedMemory::open(wrong); }), DRI_ERR_TRANSPORT);
    wrong = good;
    wrong.bytes += 4096;
    EXPECT_EQ(code_of([&] { transport::SharedMemory::open(wrong); }), DRI_ERR_TRANSPORT);
    wrong = good;
    wrong.file = 0; // another file of this process
    EXPECT_EQ(code_of([&] { transport::SharedMemory::open(wrong); }), DRI_ERR_TRANSPORT);
    wrong = good;
    wrong.pid = 0;
    EXPECT_EQ(code_of([&] { transport::SharedMemory::open(wrong); }), DRI_ERR_TRANSPORT);
    const pid_t ended = fork();
    if (ended == 0)
        _exit(0);
    waitpid(ended, nullptr, 0);
    wrong.pid = ended;
    EXPECT_EQ(code_of([&] { transport::SharedMemory::open(wrong); }), DRI_ERR_PEER);
    transport::SharedMemory::open(good);
    mine.close_file();
    EXPECT_EQ(code_of([&] { transport::SharedMemory::open(good); }), DRI_ERR_TRANSPORT);
}

TEST(SharedMemory, LeavesNoFilesOpen) {
    const int64_t before = open_files();
    {
        transport::SharedMemory mine = transport::SharedMemory::create(5000, 64);
        const transport::SharedMemory theirs = transport::SharedMemory::open(mine.handle());
        EXPECT_EQ(open_files(), before + 1);
        mine.close_file();
        EXPECT_EQ(open_files(), before);
    }
    EXPECT_EQ(code_of([] { transport::SharedMemory::create(int64_t{1} << 62, 64); }), DRI_ERR_MEMORY);
    EXPECT_EQ(open_files(), before);
}

TEST(SharedSource, HandlesWorkOnOtherProcesses) {
    const transport::SharedSource source(3, 2, 100, 64);
    Writer out;
    transport::put(out, source.handle(2));
    const Bytes bytes = out.take();
    Reader in(bytes);
    const transport::SourceHandle handle = transport::get_source_handle(in);
    EXPECT_TRUE(in.done());
    EXPECT_EQ(handle.puller, 2);
    EXPECT_EQ(handle.buffers.count, 2);
    source.buffer(1)[99] = std::byte{7};
    EXPECT_EQ(view_of(handle).memory(3).mapped[99], std::byte{7});
}

TEST(SharedSource, BuffersAreAligned) {
    for (const auto &[bytes, alignment, expected] :
         {std::tuple<int64_t, int64_t, uintptr_t>{10, 8, 64}, {10, 256, 256}, {0, 8, 64}, {5 << 20, 8, 2 << 20}}) {
        const transport::SharedSource source(5, 3, bytes, alignment);
        for (int64_t i = 0; i < 3; ++i)
            EXPECT_EQ(reinterpret_cast<uintptr_t>(source.buffer(i)) % expected, 0u) << bytes;
        EXPECT_GE(source.buffer(1) - source.buffer(0), bytes);
    }
}

TEST(SharedSource, NotesTravelWithTheirFrames) {
    constexpr int64_t buffers = 3, note_bytes = 80;
    transport::SharedSource source(70, buffers, 100, 8, {}, note_bytes);
    Writer out;
    transport::put(out, source.handle(69));
    const Bytes bytes = out.take();
    Reader in(bytes);
    transport::SourceView view = view_of(transport::get_source_handle(in));
    for (int64_t i = 0; i < buffers; ++i) {
        EXPECT_TRUE(
            std::all_of(view.note(i), view.note(i) + note_bytes, [](std::byte b) { return b == std::byte{}; }));
        std::fill_n(source.note(i), note_bytes, static_cast<std::byte>(i + 1));
        std::fill_n(source.buffer(i), 100, static_cast<std::byte>(i + 11));
    }
    for (int64_t i = 0; i < 70; ++i)
        EXPECT_FALSE(has_pulled(source, i, 1)) << "a note lies over the counters";
    EXPECT_FALSE(view.has(0));
    for (int64_t f = 0; f < 2 * buffers; ++f) {
        const auto is = [&](int64_t n) {
            return [=](std::byte b) { return b == static_cast<std::byte>(f % buffers + n); };
        };
        EXPECT_TRUE(std::all_of(view.note(f), view.note(f) + note_bytes, is(1))) << f;
        EXPECT_TRUE(std::all_of(view.memory(f).mapped, view.memory(f).mapped + 100, is(11))) << f;
    }
    const transport::SharedSource without(1, 2, 100, 8);
    EXPECT_EQ(view_of(without.handle(0)).note(1), nullptr);
}

TEST(SharedSource, APullerThatLeavesIsNotWaitedFor) {
    transport::SharedSource source(2, 2, 8, 8);
    transport::SourceView first = view_of(source.handle(0)), second = view_of(source.handle(1));
    EXPECT_FALSE(first.has(0));
    EXPECT_EQ(first.left(), std::nullopt);
    source.hand_over(1);
    EXPECT_TRUE(first.has(0));
    EXPECT_FALSE(first.has(1));
    EXPECT_TRUE(has_pulled(source, 0, 0)) << "no frame is due yet";
    EXPECT_FALSE(has_pulled(source, 0, 1));
    first.take(1);
    EXPECT_TRUE(has_pulled(source, 0, 1));
    EXPECT_FALSE(has_pulled(source, 1, 1));
    second.leave(0, transport::Leave::early);
    EXPECT_TRUE(has_pulled(source, 1, 100));
    EXPECT_EQ(source.left(1), 0);
    EXPECT_FALSE(source.is_complete(1));
    EXPECT_EQ(source.left(0), std::nullopt);
    EXPECT_FALSE(source.is_complete(0));
    first.leave(1, transport::Leave::complete);
    EXPECT_EQ(source.left(0), 1);
    EXPECT_TRUE(source.is_complete(0));
    source.leave(1, transport::Leave::early);
    EXPECT_EQ(first.left(), 1);
    EXPECT_FALSE(first.is_complete());
}

TEST(SharedSource, EveryPullerReceivesEveryFrame) {
    constexpr int64_t pullers = 3, numbers = 300, frames = 500;
    for (const int64_t buffers : {1, 2, 3}) {
        transport::SharedSource source(pullers, buffers, numbers * 8, 8);
        std::vector<std::thread> threads;
        std::atomic<int64_t> wrong = 0;
        for (int64_t t = 0; t < pullers; ++t)
            threads.emplace_back([&, t] {
                transport::SourceView view = view_of(source.handle(t));
                wrong += take_frames(view, numbers, frames);
            });
        hand_over_frames(source, pullers, buffers, numbers, frames);
        for (std::thread &thread : threads)
            thread.join();
        EXPECT_EQ(wrong, 0) << buffers << " buffers";
    }
}

TEST(SharedSource, WorksBetweenProcesses) {
    constexpr int64_t numbers = 100000, frames = 20;
    transport::SharedSource source(1, 2, numbers * 8, 8);
    const transport::SourceHandle handle = source.handle(0);
    const pid_t child = fork();
    if (child == 0) {
        int result = 1;
        try {
            transport::SourceView view = view_of(handle);
            result = take_frames(view, numbers, frames) == 0 ? 0 : 2;
            view.leave(frames, transport::Leave::early);
        } catch (const std::exception &) {
        }
        _exit(result);
    }
    ASSERT_GT(child, 0);
    hand_over_frames(source, 1, 2, numbers, frames);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(source.left(0), frames);
}

// Many pieces of different lengths, more than one system call can read.
void expect_to_read(int64_t pid, const std::vector<std::byte> &there) {
    std::vector<std::byte> here(there.size());
    transport::RemoteReader reader(pid);
    int64_t at = 0;
    for (int64_t bytes = 1; at < std::ssize(there); bytes = bytes * 5 % 9973 + 1) {
        bytes = std::min(bytes, std::ssize(there) - at);
        reader.add({here.data() + at, transport::address_of(there.data() + at), bytes});
        at += bytes;
    }
    reader.finish();
    EXPECT_TRUE(here == there);
}

TEST(RemoteMemory, PiecesOfAnotherProcessAreRead) {
    std::vector<std::byte> memory(3000000);
    for (size_t i = 0; i < memory.size(); ++i)
        memory[i] = static_cast<std::byte>(i * 31 + i / 255);
    expect_to_read(getpid(), memory);
    int go[2];
    ASSERT_EQ(pipe(go), 0);
    const pid_t child = fork();
    if (child == 0) {
        // From here on the child has its own copy of the pages, and waits.
        std::fill(memory.begin(), memory.end(), std::byte{99});
        char byte = 'x';
        if (write(go[1], &byte, 1) == 1)
            pause();
        _exit(0);
    }
    ASSERT_GT(child, 0);
    char byte = 0;
    ASSERT_EQ(read(go[0], &byte, 1), 1);
    std::fill(memory.begin(), memory.end(), std::byte{99});
    expect_to_read(child, memory);
    EXPECT_TRUE(transport::can_read(child, transport::address_of(memory.data()), std::ssize(memory)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(go[0]);
    close(go[1]);
    EXPECT_FALSE(transport::can_read(child, transport::address_of(memory.data()), 1))
        << "the child has terminated";
}

TEST(RemoteMemory, MissingMemoryIsRefused) {
    EXPECT_FALSE(transport::can_read(getpid(), 8, 1));
    EXPECT_TRUE(transport::can_read(getpid(), 8, 0));
    EXPECT_EQ(transport::read_word(getpid(), 8), std::nullopt);
    const uint64_t word = 4711;
    EXPECT_EQ(transport::read_word(getpid(), transport::address_of(&word)), word);
    std::byte to{};
    transport::RemoteReader reader(getpid());
    reader.add({&to, 8, 1});
    const Error error = error_of([&] { reader.finish(); });
    EXPECT_EQ(error.code(), DRI_ERR_TRANSPORT);
    EXPECT_NE(std::string(error.what()).find("0x8"), std::string::npos) << error.what();
    const std::byte from{7};
    reader.add({&to, transport::address_of(&from), 1});
    reader.finish();
    EXPECT_EQ(to, from) << "a failed read is forgotten";
}

// The handle of a source gives the addresses of buffers that are not shared.
TEST(SharedSource, SomeBuffersMayLieElsewhere) {
    const std::vector<int64_t> own{1, 2, 3};
    const transport::SharedSource source(
        1, 2, 24, 8, {transport::Elsewhere{}, transport::Elsewhere{.address = transport::address_of(own.data())}});
    EXPECT_TRUE(source.is_shared(0));
    EXPECT_FALSE(source.is_shared(1));
    Writer out;
    transport::put(out, source.handle(0));
    const Bytes bytes = out.take();
    Reader in(bytes);
    transport::SourceView view = view_of(transport::get_source_handle(in));
    EXPECT_TRUE(view.reads());
    EXPECT_NE(view.memory(0).mapped, nullptr);
    EXPECT_EQ(view.memory(3).mapped, nullptr);
    EXPECT_EQ(view.memory(3).address, transport::address_of(own.data()));
    EXPECT_EQ(view.pid(), getpid());
    const transport::SharedSource wrong(1, 1, 24, 8, {transport::Elsewhere{.address = 8}});
    EXPECT_EQ(code_of([&] { view_of(wrong.handle(0)); }), DRI_ERR_TRANSPORT);
}

TEST(MemoryProbe, FindsTheProcessesOfANode) {
    const std::vector<int> nodes{0, 1, 0, 3, 1, 0};
    on_ranks(6, [&](transport::Transport &transport) {
        const transport::NodeMemory all =
            transport::find_shared_memory(transport, nodes, true, "DRI_init", soon());
        EXPECT_EQ(all.shared, nodes);
        EXPECT_EQ(all.readable, nodes);
        // A process that is not willing shares with nobody. Nor do the others of a node whose lowest rank is not
        // willing.
        const bool willing = transport.rank() != 1 && transport.rank() != 2;
        const transport::NodeMemory some =
            transport::find_shared_memory(transport, nodes, willing, "DRI_init", soon());
        EXPECT_EQ(some.shared, (std::vector<int>{0, 1, 2, 3, 4, 0}));
        EXPECT_EQ(some.readable, some.shared);
    });
}

} // namespace dri::test
