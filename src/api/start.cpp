// Only one thread at a time starts or ends the library.
#include "api/start.hpp"

#include <atomic>

namespace dri::api {

namespace {

std::atomic<const char *> under_way = nullptr; // the name of the call

[[noreturn]] void refuse(const char *call) {
    fail(DRI_ERR_STATE, "another thread of this process is in {}", call);
}

} // namespace

StartOrEnd::StartOrEnd(const char *call) {
    const char *other = nullptr;
    if (!under_way.compare_exchange_strong(other, call))
        refuse(other);
}

StartOrEnd::~StartOrEnd() { under_way.store(nullptr); }

void require_no_start_or_end() {
    if (const char *const call = under_way.load())
        refuse(call);
}

} // namespace dri::api
