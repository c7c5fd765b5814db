// What one thread uses at a time.
#pragma once

#include "base/error.hpp"

#include <atomic>
#include <string_view>
#include <thread>

namespace dri::array {

class OneThread {
public:
    OneThread() = default;
    OneThread(const OneThread &) = delete;
    OneThread &operator=(const OneThread &) = delete;

    // Holds it for the calling thread, which may hold it several times: a kernel runs inside a call, and may call
    // the library. Fails with DRI_ERR_STATE at once if another thread holds it.
    class Use {
    public:
        // what: "another thread is in a call of ...".
        Use(OneThread &of, std::string_view what) : of_(of) {
            const std::thread::id mine = std::this_thread::get_id();
            std::thread::id user{};
            if (of.user_.compare_exchange_strong(user, mine, std::memory_order_acquire))
                is_first_ = true;
            else if (user != mine)
                fail(DRI_ERR_STATE, "another thread is in a call of {}", what);
        }
        ~Use() {
            if (is_first_)
                of_.user_.store({}, std::memory_order_release);
        }
        Use(const Use &) = delete;
        Use &operator=(const Use &) = delete;

    private:
        OneThread &of_;
        bool is_first_ = false;
    };

private:
    std::atomic<std::thread::id> user_{};
};

} // namespace dri::array
