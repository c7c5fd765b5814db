// Children that a test forks, and how they exit.
#pragma once

#include <dri/dri.h>

#include <functional>
#include <string>
#include <string_view>

#include <sys/wait.h>
#include <unistd.h>

namespace dri::test {

// The child's exit code, or how else it terminated. An alarm kills the child after 30 seconds.
inline std::string outcome_of(const std::function<int()> &child) {
    const pid_t pid = fork();
    if (pid == 0) {
        alarm(30);
        _exit(child());
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return "no child";
    return WIFEXITED(status) ? std::to_string(WEXITSTATUS(status)) : "signal " + std::to_string(WTERMSIG(status));
}

// Whether a call failed because this process is a forked child.
inline bool is_refused(int code) {
    return code == DRI_ERR_STATE && std::string_view(DRI_error_message()).find("forked") != std::string_view::npos;
}

} // namespace dri::test
