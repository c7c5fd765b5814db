// The indices of a View are checked by assert: this program is compiled without NDEBUG, whatever the build, and
// each wrong index must end a process.
#undef NDEBUG
#include <dri/dri.hpp>

#include <csignal>
#include <cstdio>
#include <functional>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// Whether a process that does it ends by the signal of assert.
bool aborts(const std::function<void()> &work) {
    const pid_t child = fork();
    if (child == 0) {
        const rlimit no_core{};
        setrlimit(RLIMIT_CORE, &no_core);
        std::freopen("/dev/null", "w", stderr); // the words of assert
        work();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

int failures = 0;

void expect(bool as_expected, const char *what) {
    failures += !as_expected;
    if (!as_expected)
        std::printf("%s\n", what);
}

} // namespace

int main() {
    float memory[6] = {};
    const dri::View<float, 2> v(memory, {2, 3});
    expect(!aborts([&] { v(1, 2) = 1; }), "a right index ends the process");
    expect(aborts([&] { v(2, 0) = 1; }), "an index beyond the first dimension");
    expect(aborts([&] { v(0, 3) = 1; }), "an index beyond the second dimension");
    expect(aborts([&] { v(-1, 0) = 1; }), "an index before the first dimension");
    expect(aborts([&] { v(0, -1) = 1; }), "an index before the second dimension");
    if (failures == 0)
        std::puts("wrong indices end the process, right ones do not");
    return failures > 0;
}
