// Whether a transfer is broken.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace dri::exec {

// Why a transfer is broken, if it is, and the failure that a helper found, until a call reports it.
class Breakage {
public:
    bool any() const { return !cause_.empty(); }
    const std::string &cause() const { return cause_; }
    void set(const char *cause) { cause_ = cause; } // a short one needs no memory

    void keep_failure() noexcept { unreported_ = std::current_exception(); } // the one that is being handled
    void forget_failure() { unreported_ = nullptr; }
    // Throws it, once.
    void report_failure() {
        if (unreported_)
            std::rethrow_exception(std::exchange(unreported_, nullptr));
    }

private:
    std::exception_ptr unreported_;
    std::string cause_; // empty: the transfer is whole
};

} // namespace dri::exec
