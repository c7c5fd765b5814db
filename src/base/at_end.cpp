// The list of functions that are called at the end of the library.
#include "base/at_end.hpp"

#include <mutex>
#include <vector>

namespace dri::inline base {

namespace {

std::mutex at_end_mutex;

// Never destroyed: the library may end after static objects.
std::vector<void (*)()> &at_end_functions() {
    static auto *const functions = new std::vector<void (*)()>;
    return *functions;
}

} // namespace

void at_end(void (*function)()) {
    const std::lock_guard lock(at_end_mutex);
    at_end_functions().push_back(function);
}

void run_at_end() noexcept {
    const std::lock_guard lock(at_end_mutex);
    for (void (*const function)() : at_end_functions())
        function();
}

} // namespace dri::inline base
