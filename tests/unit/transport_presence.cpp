// What processes of a node show each other, and how the end of one is found.
#include "transport/presence.hpp"

#include "base/error.hpp"
#include "transport/system_process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

namespace dri::test {

namespace {

// The processes of two nodes: ranks 0, 1 and 3 on one of them.
const std::vector<int> nodes{0, 0, 2, 0};

// The boards of several ranks of one node, as if each were a process.
struct Boards {
    transport::SharedMemory memory = transport::SharedMemory::create(transport::WaitBoard::bytes(3), 1);
    transport::WaitBoard of(int rank) const {
        return {transport::SharedMemory::open(memory.handle()), nodes, rank};
    }
};

} // namespace

TEST(SystemProcess, is_known_by_its_number_and_start) {
    const transport::SystemProcess self = transport::this_process();
    EXPECT_EQ(self.number, getpid());
    EXPECT_GT(self.start, 0);
    EXPECT_FALSE(transport::has_ended(self));
    EXPECT_TRUE(transport::has_ended({self.number, self.start + 1})) << "another process had this number";
    EXPECT_FALSE(transport::has_ended({})) << "unknown";
}

TEST(WaitBoard, shows_the_text_of_each_process) {
    const Boards boards;
    transport::WaitBoard first = boards.of(0), other = boards.of(3);
    EXPECT_TRUE(first.has(0));
    EXPECT_TRUE(first.has(3));
    EXPECT_FALSE(first.has(1)) << "it has not opened the memory";
    EXPECT_FALSE(first.has(2)) << "of another node";
    EXPECT_EQ(first.process(3), transport::this_process());
    EXPECT_EQ(first.text_of(3), "");
    for (const std::string &text : {std::string("waits"), std::string(), std::string(57, 'x')}) {
        other.write(text);
        EXPECT_EQ(first.text_of(3), text);
        EXPECT_EQ(first.text_of(0), "");
    }
    other.write(std::string(1000, 'y'));
    EXPECT_EQ(first.text_of(3), std::string(transport::WaitBoard::max_text, 'y'));
    transport::WaitBoard none;
    EXPECT_FALSE(none.has(0));
    none.write("nobody reads it");
}

// Each process learns only of notices to itself, and of none while some process is not on the board.
TEST(WaitBoard, counts_the_notices_to_each_process) {
    const Boards boards;
    const transport::WaitBoard first = boards.of(0);
    EXPECT_EQ(first.notices(), nullptr) << "the others have no entry";
    transport::WaitBoard none;
    EXPECT_EQ(none.notices(), nullptr);
    std::vector<transport::WaitBoard> all;
    const std::vector<int> one_node(3, 0);
    const transport::SharedMemory memory = transport::SharedMemory::create(transport::WaitBoard::bytes(3), 1);
    for (int rank = 0; rank < 3; ++rank)
        all.emplace_back(transport::SharedMemory::open(memory.handle()), one_node, rank);
    for (const auto &board : all) {
        ASSERT_NE(board.notices(), nullptr);
        EXPECT_EQ(*board.notices(), 0u);
    }
    all[0].count_notice(2);
    all[1].count_notice(2);
    all[2].count_notice(1);
    EXPECT_EQ(*all[0].notices(), 0u);
    EXPECT_EQ(*all[1].notices(), 1u);
    EXPECT_EQ(*all[2].notices(), 2u);
    all[1].uncount_notice(2); // MPI has not sent it
    EXPECT_EQ(*all[2].notices(), 1u);
}

TEST(WaitBoard, is_read_whole_while_it_is_written) {
    const Boards boards;
    transport::WaitBoard writer = boards.of(0);
    const transport::WaitBoard reader = boards.of(1);
    std::atomic<bool> stop = false;
    std::thread thread([&] {
        for (size_t i = 0; !stop; ++i)
            writer.write(std::string(1 + i % 300, static_cast<char>('a' + i % 26)));
    });
    int mixed = 0, read = 0;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (read < 20000 && std::chrono::steady_clock::now() < until) {
        const std::string text = reader.text_of(0);
        mixed += text.find_first_not_of(text.substr(0, 1)) != std::string::npos;
        read += !text.empty();
    }
    stop = true;
    thread.join();
    EXPECT_EQ(mixed, 0);
    EXPECT_EQ(read, 20000);
}

TEST(Presence, shows_the_last_of_several_waits) {
    const Boards boards;
    transport::Presence one, other;
    one.set_board(boards.of(0));
    other.set_board(boards.of(1));
    EXPECT_TRUE(other.is_near(0));
    EXPECT_FALSE(other.is_near(2));
    const int first = 0, second = 0;
    one.show(&first, "first");
    EXPECT_EQ(other.of_near(0), "first");
    one.show(&second, "second");
    EXPECT_EQ(other.of_near(0), "second");
    one.show(&first, "first again");
    EXPECT_EQ(other.of_near(0), "first again");
    EXPECT_EQ(one.shown(), "first again");
    one.hide(&first);
    EXPECT_EQ(other.of_near(0), "second");
    one.hide(&second);
    EXPECT_EQ(other.of_near(0), "");
    EXPECT_EQ(one.shown(), "");
    EXPECT_EQ(other.of_near(2), "") << "of another node";
}

TEST(Presence, keeps_the_answer_to_the_last_question) {
    transport::Presence presence;
    presence.take_answer(5, 0, "says what nobody has asked");
    EXPECT_EQ(presence.answer_of(5), std::nullopt);
    const int64_t first = presence.expect_answer(5);
    presence.take_answer(5, first, "waits");
    EXPECT_EQ(presence.answer_of(5), "waits");
    const int64_t second = presence.expect_answer(5);
    EXPECT_EQ(presence.answer_of(5), std::nullopt);
    presence.take_answer(5, first, "waits, it said before");
    EXPECT_EQ(presence.answer_of(5), std::nullopt) << "the answer to an earlier question";
    presence.take_answer(5, second, "goes on");
    EXPECT_EQ(presence.answer_of(5), "goes on");
}

// What a process has sent before its end has time to arrive.
TEST(Presence, reports_an_end_a_little_later) {
    const Boards boards;
    transport::Presence presence;
    presence.set_board(boards.of(0));
    EXPECT_FALSE(presence.has_ended(1)) << "it has no entry";
    EXPECT_FALSE(presence.has_ended(0));
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t number = fork();
    if (number == 0) {
        const transport::WaitBoard board = boards.of(3);
        const bool wrote = write(ready[1], "r", 1) == 1;
        for (; wrote;)
            pause();
        _exit(1);
    }
    char word = 0;
    ASSERT_EQ(read(ready[0], &word, 1), 1);
    EXPECT_FALSE(presence.has_ended(3));
    EXPECT_NO_THROW(transport::check_runs(presence, 3));
    kill(number, SIGKILL);
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(number), &info, WEXITED | WNOWAIT);
    const auto begin = std::chrono::steady_clock::now();
    while (!presence.has_ended(3) && std::chrono::steady_clock::now() - begin < std::chrono::seconds(5))
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(presence.has_ended(3));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(100));
    waitpid(number, nullptr, 0);
    EXPECT_TRUE(presence.has_ended(3));
    try {
        transport::check_runs(presence, 3);
        ADD_FAILURE() << "it has ended";
    } catch (const Error &error) {
        EXPECT_EQ(error.code(), DRI_ERR_PEER);
    }
    close(ready[0]);
    close(ready[1]);
}

} // namespace dri::test
