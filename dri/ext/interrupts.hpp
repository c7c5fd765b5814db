// Ctrl-C while functions of Python's are called from a run: it is raised behind them, or they would end half-way.
// A second one is raised at once, because a function may never end.
#pragma once

#include <csignal>
#include <unistd.h>

namespace dri_python {

// Notes Ctrl-C as long as it lives, and hands it on at its end. Only Python's main thread hears signals.
class HeldInterrupts {
public:
    static constexpr bool holds_signals = true;

    HeldInterrupts() : holds_(is_main_thread()) {
        if (!holds_)
            return;
        struct sigaction mine {};
        mine.sa_handler = note;
        mine.sa_flags = SA_ONSTACK;
        sigemptyset(&mine.sa_mask);
        sigaction(SIGINT, &mine, &before_);
        const bool is_function = before_.sa_handler != SIG_DFL && before_.sa_handler != SIG_IGN &&
                                 before_.sa_handler != note && (before_.sa_flags & SA_SIGINFO) == 0;
        if (before_.sa_handler != note)
            second_ = is_function ? before_.sa_handler : nullptr;
    }
    ~HeldInterrupts() {
        if (!holds_)
            return;
        struct sigaction now {};
        sigaction(SIGINT, &before_, &now);
        if (now.sa_handler != note) // a function has set another one
            sigaction(SIGINT, &now, nullptr);
        const bool is_held = has_come_ == 1;
        has_come_ = 0;
        if (is_held)
            raise(SIGINT);
    }
    HeldInterrupts(const HeldInterrupts &) = delete;
    HeldInterrupts &operator=(const HeldInterrupts &) = delete;

private:
    static bool is_main_thread() {
        thread_local const bool is_main = getpid() == gettid();
        return is_main;
    }
    static void note(int signal) {
        if (has_come_ != 0 && second_ != nullptr) {
            has_come_ = 2;
            second_(signal);
            return;
        }
        has_come_ = 1;
    }
    static inline volatile std::sig_atomic_t has_come_ = 0; // 2: handed on meanwhile
    static inline void (*volatile second_)(int) = nullptr;  // the handler before

    struct sigaction before_ {};
    bool holds_;
};

} // namespace dri_python
