// The environment: start and end of the library.
#pragma once

#include <dri/cpp/handle.hpp>

#include <exception>

namespace dri {
inline namespace v1 {

// The running library. Its destructor ends the library.
//
// While an exception unwinds the stack, the destructor does not end the library. The process then leaves MPI
// unfinished, so mpirun ends the job and no other process waits for this one.
class Environment {
public:
    // Starts the library on MPI_COMM_WORLD, and MPI itself if it does not run yet. Collective over MPI_COMM_WORLD;
    // synchronising. See DRI_init.
    Environment() { detail::check(DRI_init(nullptr, nullptr)); }
    Environment(int &argc, char **&argv) { detail::check(DRI_init(&argc, &argv)); }

    // Starts the library on a communicator given as its Fortran handle. See DRI_init_fcomm.
    static Environment fortran(int comm) {
        detail::check(DRI_init_fcomm(comm));
        return Environment(adopted);
    }

    // Takes over a library that runs, and ends it. Throws DRI_ERR_STATE if it does not run.
    static Environment adopt() {
        if (!detail::library_runs())
            detail::fail(DRI_ERR_STATE, "Environment::adopt(): the library does not run");
        return Environment(adopted);
    }

    Environment(const Environment &) = delete; // dri: an Environment is moved, never copied
    Environment(Environment &&other) noexcept
        : owns_(std::exchange(other.owns_, false)), unwinding_(other.unwinding_) {}
    Environment &operator=(const Environment &) = delete;
    Environment &operator=(Environment &&) = delete;

    ~Environment() {
        if (owns_ && std::uncaught_exceptions() <= unwinding_ && detail::library_runs())
            DRI_finalize();
    }

    // Ends the library. Collective over the world; synchronising. It throws where the destructor stays silent, and
    // may be repeated after the errors that DRI_finalize names.
    void finalize() {
        detail::check(DRI_finalize());
        owns_ = false;
    }

    // The rank of the calling process in the world.
    int rank() const {
        int rank = 0;
        detail::check(DRI_world_rank(&rank));
        return rank;
    }

    // The number of processes in the world.
    int size() const {
        int size = 0;
        detail::check(DRI_world_size(&size));
        return size;
    }

private:
    enum Adopted { adopted };
    explicit Environment(Adopted) {}

    bool owns_ = true;
    int unwinding_ = std::uncaught_exceptions(); // exceptions that were under way before this object
};

// Whether the library runs. Local. May be called at any time.
inline bool initialized() {
    int flag = 0;
    detail::check(DRI_initialized(&flag));
    return flag == 1;
}

struct Version {
    int major, minor, patch;
    friend auto operator<=>(const Version &, const Version &) = default;
};

// The version of the library that the program runs with. Local. May be called at any time.
inline Version version() {
    Version found{};
    detail::check(DRI_version(&found.major, &found.minor, &found.patch));
    return found;
}

} // namespace v1
} // namespace dri
