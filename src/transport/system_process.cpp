// Reads /proc/PID/stat.
#include "transport/system_process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>

namespace dri::transport {

namespace {

struct Status {
    bool is_missing = false; // the system has no process of that number
    char state = '?';
    int64_t threads = 0, start = 0;

    // Other threads may go on after the first one has ended.
    bool has_ended() const { return is_missing || ((state == 'Z' || state == 'X') && threads <= 1); }
};

// The words behind the program's name, which may itself contain spaces and brackets.
void read_words(std::string_view text, Status &status) {
    constexpr int word_state = 0, word_threads = 17, word_start = 19;
    const size_t name_end = text.rfind(')');
    if (name_end == std::string_view::npos || name_end + 2 > text.size())
        return;
    text.remove_prefix(name_end + 2);
    for (int word = 0; !text.empty() && word <= word_start; ++word) {
        const std::string_view one = text.substr(0, text.find(' '));
        if (word == word_state && !one.empty())
            status.state = one.front();
        else if (word == word_threads || word == word_start)
            std::from_chars(one.data(), one.data() + one.size(),
                            word == word_start ? status.start : status.threads);
        text.remove_prefix(one.size() < text.size() ? one.size() + 1 : text.size());
    }
}

// Nothing if the system does not report it.
std::optional<Status> status_of(int64_t number) {
    std::array<char, 40> path{};
    std::array<char, 1024> text{};
    std::snprintf(path.data(), path.size(), "/proc/%lld/stat", static_cast<long long>(number));
    const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT ? std::optional(Status{.is_missing = true}) : std::nullopt;
    const ssize_t length = read(file, text.data(), text.size());
    const int error = errno;
    close(file);
    Status status;
    if (length > 0)
        read_words({text.data(), static_cast<size_t>(length)}, status);
    else if (error == ESRCH) // it has ended since the file was opened
        status.is_missing = true;
    return status.is_missing || status.start > 0 ? std::optional(status) : std::nullopt;
}

} // namespace

SystemProcess this_process() {
    const int64_t number = getpid();
    const auto status = status_of(number);
    return status && !status->is_missing ? SystemProcess{number, status->start} : SystemProcess{};
}

// Without a file system of processes, even the own one would be missing: then its number is unknown.
bool has_ended(const SystemProcess &process) {
    if (process.number == 0)
        return false;
    const auto status = status_of(process.number);
    return status && (status->has_ended() || status->start != process.start);
}

bool is_gone(int64_t number) {
    const auto status = number == 0 ? std::nullopt : status_of(number);
    return status && status->has_ended();
}

} // namespace dri::transport
