// Counts the threads of this process, whoever started them.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace dri::test {

inline std::ptrdiff_t threads_here() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
}

inline bool has_thread(const std::string &name) {
    for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::string its_name;
        std::getline(std::ifstream(task.path() / "comm"), its_name);
        if (its_name == name)
            return true;
    }
    return false;
}

// Waits until a thread of that name exists or does not exist, as expected, and returns whether it exists. Threads
// receive their names, and disappear, with a short delay.
inline bool comes_to_have(const std::string &name, bool expected) {
    for (int i = 0; i < 1000 && has_thread(name) != expected; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return has_thread(name);
}

// threads_here() once it no longer changes: the system still counts a joined thread for a short time.
inline std::ptrdiff_t threads_settled() {
    for (int i = 0; i < 1000; ++i) {
        const std::ptrdiff_t threads = threads_here();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (threads_here() == threads)
            return threads;
    }
    return threads_here();
}

// Waits until the process has this many threads. The system removes finished ones with a short delay.
inline bool threads_come_to(std::ptrdiff_t threads) {
    for (int i = 0; i < 1000 && threads_here() != threads; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return threads_here() == threads;
}

} // namespace dri::test
