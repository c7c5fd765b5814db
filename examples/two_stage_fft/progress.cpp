#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace fft {

namespace {

bool starts_with_any(const std::string &text, std::initializer_list<const char *> beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&](const char *beginning) { return text.starts_with(beginning); });
}

// mpirun gives its processes a pipe and forwards what they write. Therefore mpirun's own standard error decides
// whether there is a terminal. Linux shows it for a parent process of the same user.
bool launcher_writes_to_terminal() {
    const std::string parent = "/proc/" + std::to_string(getppid());
    std::string name;
    std::ifstream(parent + "/comm") >> name;
    if (!starts_with_any(name, {"mpirun", "mpiexec", "orterun", "prterun"}))
        return false;
    std::error_code error;
    const std::string target = std::filesystem::read_symlink(parent + "/fd/2", error);
    return !error && starts_with_any(target, {"/dev/pts/", "/dev/tty", "/dev/console"});
}

} // namespace

ProgressBar::ProgressBar(int steps, bool wanted)
    : steps_(steps), visible_(wanted && (isatty(STDERR_FILENO) != 0 || launcher_writes_to_terminal())) {
    show(0);
}

ProgressBar::~ProgressBar() {
    if (visible_)
        std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(int steps_done) {
    constexpr int width = 40;
    const int percent = static_cast<int>(100LL * steps_done / steps_);
    if (!visible_ || percent == shown_percent_)
        return;
    shown_percent_ = percent;
    std::string bar(width, ' ');
    bar.replace(0, static_cast<std::size_t>(percent * width / 100),
                static_cast<std::size_t>(percent * width / 100), '=');
    std::fprintf(stderr, "\r[%s] frame %d of %d", bar.c_str(), steps_done, steps_);
}

} // namespace fft
