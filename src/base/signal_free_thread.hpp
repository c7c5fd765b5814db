// A thread that receives none of the process's signals, because signals are meant for the user's threads.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>

namespace dri::inline base {

// A new thread inherits the signal mask of its creator. Therefore all signals are blocked while the thread is
// created, and the creator's mask is restored afterwards. Throws std::system_error if the system provides no more
// threads.
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

} // namespace dri::inline base
