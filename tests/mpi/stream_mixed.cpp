// One source and three sinks: one holds the source back, one drops frames, one is slow and leaves early. Calls
// wait, time out, or poll. Whichever way, buffers and threads are used, every frame must arrive complete.
#include "support/dice.hpp"
#include "support/dropping.hpp"
#include "support/library.hpp"

#include <chrono>
#include <memory>
#include <thread>

namespace dri::test {
namespace {

constexpr int64_t all_frames = 40;

unsigned char letter(int64_t number, int i) { return static_cast<unsigned char>(number * 7 + i * 13 + 1); }
int letters(int64_t number) { return static_cast<int>(number * 37 % (DRI_MAX_FRAME_BYTES + 1)); }

void expect_what_went_with(const DRI_Frame &frame, int64_t number) {
    EXPECT_EQ(frame.number, number);
    EXPECT_EQ(frame.time_ns, 5000 + number);
    ASSERT_EQ(frame.bytes, letters(number));
    int wrong = 0;
    for (int i = 0; i < DRI_MAX_FRAME_BYTES; ++i)
        wrong += frame.data[i] != (i < frame.bytes ? letter(number, i) : 0);
    EXPECT_EQ(wrong, 0) << number;
}

// The call would have to wait for something first, here or on another process.
bool is_early(int code) { return code == DRI_ERR_TIMEOUT || code == DRI_ERR_DEADLOCK; }

// Operates a source frame by frame, in calls that may return early.
class Sender {
public:
    Sender(Strip endpoint, Dice &dice) : endpoint_(std::move(endpoint)), dice_(dice) {}
    bool is_done() const { return !endpoint_.xfer; }
    // may_go: this process does not delay those that read the source's frames in the user's memory.
    void step(bool may_go) {
        if (is_done())
            return;
        if (holds_ && given_ == all_frames) {
            go(may_go);
        } else if (holds_) {
            give();
        } else {
            int done = 1;
            const int code = dice_.range(0, 2) == 0 ? DRI_try_acquire(endpoint_.xfer, nullptr, &done)
                                                    : DRI_acquire(endpoint_.xfer, nullptr);
            holds_ = code == DRI_SUCCESS && done;
            EXPECT_TRUE(code == DRI_SUCCESS || is_early(code)) << DRI_error_message();
        }
    }

private:
    // May be refused or delayed, because a frame may wait for this process's own sink.
    void go(bool may_go) {
        if (!closed_)
            expect_success(DRI_xfer_close(endpoint_.xfer), "DRI_xfer_close");
        closed_ = true;
        if (!may_go)
            return;
        const int code = endpoint_.xfer.reset();
        EXPECT_TRUE(code == DRI_SUCCESS || code == DRI_ERR_STATE) << DRI_error_message();
    }
    void give() {
        endpoint_.fill(buffer_of<void>(endpoint_.xfer), given_);
        DRI_Frame frame{};
        frame.time_ns = 5000 + given_;
        frame.bytes = letters(given_);
        for (int i = 0; i < frame.bytes; ++i)
            frame.data[i] = letter(given_, i);
        insert(endpoint_.xfer, &frame);
        ++given_;
        holds_ = false;
        if (dice_.range(0, 9) == 0)
            expect_success(DRI_progress(), "DRI_progress");
    }

    Strip endpoint_;
    Dice &dice_;
    int64_t given_ = 0;
    bool holds_ = true, closed_ = false;
};

class Receiver {
public:
    struct Habits {
        bool drops = false;
        int64_t leaves_after = INT64_MAX; // number of frames
        int slow = 0;                     // one of this many steps sleeps; 0: none
    };
    Receiver(Strip endpoint, Habits habits, Dice &dice)
        : endpoint_(std::move(endpoint)), habits_(habits), dice_(dice) {}
    bool is_done() const { return !endpoint_.xfer; }
    void step() {
        if (is_done())
            return;
        if (habits_.slow > 0 && dice_.range(1, habits_.slow) == 1)
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        if (taken_ >= habits_.leaves_after) {
            if (dice_.range(0, 1) == 0 && !started_)
                expect_success(DRI_start(nullptr, endpoint_.xfer), "DRI_start");
            EXPECT_EQ(endpoint_.xfer.reset(), DRI_SUCCESS) << DRI_error_message();
        } else if (started_ || dice_.range(0, 2) == 0) {
            look();
        } else {
            extract();
        }
    }

private:
    // Receives a frame without its header, which only DRI_extract returns.
    void look() {
        if (!started_)
            expect_success(DRI_start(nullptr, endpoint_.xfer), "DRI_start");
        started_ = true;
        int done = 0;
        const int code =
            dice_.range(0, 4) == 0 ? DRI_wait(nullptr, endpoint_.xfer) : DRI_test(nullptr, endpoint_.xfer, &done);
        if (code == DRI_END_OF_STREAM)
            return end();
        EXPECT_TRUE(code == DRI_SUCCESS || is_early(code)) << DRI_error_message();
        if (code != DRI_SUCCESS || (!done && frames_of(endpoint_.xfer) == taken_))
            return;
        started_ = false;
        ++taken_;
        if (!habits_.drops) {
            EXPECT_EQ(endpoint_.wrong(buffer_of<void>(endpoint_.xfer), taken_ - 1), 0) << taken_ - 1;
        }
        last_ = -1; // the number of this frame is unknown
        release(endpoint_.xfer);
    }
    void extract() {
        void *buffer = nullptr;
        DRI_Frame frame{};
        int done = 1;
        const int code = dice_.range(0, 2) == 0 ? DRI_try_extract(endpoint_.xfer, &buffer, &frame, &done)
                                                : DRI_extract(endpoint_.xfer, &buffer, &frame);
        if (code == DRI_END_OF_STREAM)
            return end();
        EXPECT_TRUE(code == DRI_SUCCESS || is_early(code)) << DRI_error_message();
        if (code != DRI_SUCCESS || !done)
            return;
        expect_what_went_with(frame, habits_.drops ? frame.number : taken_);
        EXPECT_GE(frame.number, taken_);
        EXPECT_GT(frame.number, last_);
        EXPECT_EQ(endpoint_.wrong(buffer, frame.number), 0) << frame.number;
        last_ = frame.number;
        ++taken_;
        release(endpoint_.xfer);
    }
    void end() {
        const Info info(endpoint_.xfer);
        EXPECT_EQ(info.frames + info.dropped, all_frames);
        EXPECT_EQ(info.frames, taken_);
        if (!habits_.drops) {
            EXPECT_EQ(taken_, all_frames);
        }
        EXPECT_EQ(endpoint_.xfer.reset(), DRI_SUCCESS) << DRI_error_message();
    }

    Strip endpoint_;
    Habits habits_;
    Dice &dice_;
    int64_t taken_ = 0, last_ = -1;
    bool started_ = false;
};

struct Mix {
    StripShape shape;
    std::vector<int> from;
    int buffers[4]; // the number of buffers of the source and of each sink
    int64_t ways;
    int thread;
    bool users; // the source's buffers belong to the user
};

// Replaces the endpoint by one with buffers of the user.
void bring_buffers(Strip &source, int nbuffs, std::vector<std::vector<std::byte>> &memory) {
    size_t bytes = 0;
    expect_success(DRI_xfer_buffer_bytes(source.xfer, &bytes), "DRI_xfer_buffer_bytes");
    source.xfer.reset();
    std::vector<void *> buffers;
    for (int i = 0; i < nbuffs; ++i)
        buffers.push_back(memory.emplace_back(bytes + 1).data());
    expect_success(DRI_xfer_create("mixed", DRI_SOURCE, source.dist, DRI_ROW_MAJOR, nbuffs, buffers.data(),
                                   source.xfer.out()),
                   "DRI_xfer_create");
    expect_success(DRI_xfer_set_attr(source.xfer, DRI_ATTR_STREAM, 1), "DRI_xfer_set_attr");
}

// Sets the attributes of the mix on a declared endpoint. The timeout of 1 ms makes calls return early.
std::optional<Strip> with(std::optional<Strip> endpoint, const Mix &mix) {
    set_attr(endpoint, DRI_ATTR_WAYS, mix.ways);
    set_attr(endpoint, DRI_ATTR_PROGRESS_THREAD, mix.thread);
    set_attr(endpoint, DRI_ATTR_TIMEOUT_MS, 1);
    return endpoint;
}

void run(const Mix &mix, Dice &dice) {
    const int size = world().size;
    std::vector<int> back = all_ranks();
    std::reverse(back.begin(), back.end());
    std::vector<std::vector<std::byte>> memory;
    auto source = declare_stream("mixed", mix.from, mix.buffers[0], mix.shape);
    if (source && mix.users)
        bring_buffers(*source, mix.buffers[0], memory);
    source = with(std::move(source), mix);
    auto holds = with(declare_strip("mixed", DRI_SINK, all_ranks(), mix.buffers[1], mix.shape), mix);
    auto drops = with(declare_strip("mixed", DRI_SINK, back, mix.buffers[2], mix.shape), mix);
    set_attr(drops, DRI_ATTR_ON_FULL, DRI_DROP);
    const std::vector<int> some = size > 2 ? std::vector<int>{size - 1, 1} : std::vector<int>{};
    auto leaves = with(declare_strip("mixed", DRI_SINK, some, mix.buffers[3], mix.shape), mix);
    commit(make_world());
    std::optional<Sender> sender;
    std::vector<std::unique_ptr<Receiver>> receivers;
    if (source)
        sender.emplace(std::move(*source), dice);
    receivers.push_back(std::make_unique<Receiver>(std::move(*holds), Receiver::Habits{}, dice));
    if (size > 1) // with one process the distribution would equal that of the first sink
        receivers.push_back(
            std::make_unique<Receiver>(std::move(*drops), Receiver::Habits{.drops = true, .slow = 4}, dice));
    if (leaves)
        receivers.push_back(
            std::make_unique<Receiver>(std::move(*leaves), Receiver::Habits{.leaves_after = 7, .slow = 6}, dice));
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(100);
    for (bool done = false; !done;) {
        bool taken = true;
        for (const auto &receiver : receivers) {
            receiver->step();
            taken = taken && receiver->is_done();
        }
        if (sender)
            sender->step(taken || !mix.users);
        done = taken && (!sender || sender->is_done());
        ASSERT_LT(std::chrono::steady_clock::now(), until) << "a process hangs";
    }
}

TEST(Mixed, WholeFramesArriveAtAllKindsOfSinks) {
    const int rank = world().rank, size = world().size;
    if (size == 1)
        GTEST_SKIP() << "needs sinks of two distributions";
    int granted = MPI_THREAD_SINGLE;
    MPI_Query_thread(&granted);
    Dice dice(static_cast<uint64_t>(rank));
    const std::vector<std::vector<int>> froms{all_ranks(), {size - 1}, ranks((size + 1) / 2)};
    int i = 0;
    for (const StripShape shape : {StripShape{14, 2}, StripShape{200, 150}})
        for (const int64_t ways :
             {int64_t{DRI_WAY_SELF | DRI_WAY_MESSAGE | DRI_WAY_DIRECT}, int64_t{DRI_WAY_MESSAGE}})
            for (const int thread : {0, 1}) {
                if (thread == 1 && granted < MPI_THREAD_MULTIPLE)
                    continue;
                for (const auto &from : froms) {
                    ++i;
                    const Mix mix{.shape = shape,
                                  .from = from,
                                  .buffers = {1 + i % 3, 1 + i % 4, 1 + (i + 1) % 3, 1 + i % 2},
                                  .ways = ways,
                                  .thread = thread,
                                  .users = i % 4 > 1};
                    SCOPED_TRACE(testing::Message() << "mix " << i);
                    run(mix, dice);
                    if (testing::Test::HasFatalFailure())
                        return;
                    barrier();
                }
            }
}

} // namespace
} // namespace dri::test
