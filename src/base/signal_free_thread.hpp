// A thread that takes none of the process's signals: those are for the user's threads.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>

namespace dri {

// Throws std::system_error where the system gives no more threads.
template <class F> std::thread start_signal_free_thread(F body) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        std::thread thread(body);
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return thread;
    } catch (...) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        throw;
    }
}

} // namespace dri
