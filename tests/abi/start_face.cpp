// Start and end of the library through the C++ interface, on communicators of the program. Objects outlive the
// library.
#include <dri/dri_mpi.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>

namespace {

int failed = 0;

void expect(bool right, const char *what) {
    if (right)
        return;
    std::fprintf(stderr, "not so: %s\n", what);
    failed = 1;
}

// Fails after main. The handler of on_error() is still there.
struct Late {
    ~Late() {
        const int before = handled;
        DRI_xfer_destroy(nullptr);
        if (handled != before + 1)
            std::_Exit(1);
    }
    static inline int handled = 0;
};

const Late late;

// What is left of a session when the library has ended.
struct Remains {
    dri::Gdo<float, 2> gdo{8, 8};
    dri::Group group = dri::world();
    dri::Partition<2> partition = dri::cut_dim<2>(0);
    dri::Dist<float, 2> dist{gdo, partition};
    dri::Layout layout = dri::row_major.pitch(4);
    dri::Source<float, 2> source{"remains", dist};
    dri::Sink<float, 2> sink{"remains", dist, {.layout = layout}};
};

std::unique_ptr<Remains> remains;

void run_sessions(int rank, int size) {
    {
        // The communicator of the processes in reverse order.
        MPI_Comm reversed;
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
        dri::Environment env = dri::environment_of(reversed);
        expect(env.rank() == size - 1 - rank && env.size() == size, "the communicator is the world");
        expect(dri::group_of(MPI_COMM_SELF).size() == 1, "a group of a communicator");
        expect(dri::group_of(MPI_COMM_WORLD).position() == rank, "its order is the communicator's");
        remains = std::make_unique<Remains>();
        dri::commit();
        dri::run("remains");
        const dri::Environment moved = std::move(env);
        MPI_Comm_free(&reversed);
    } // the moved one ends the library
    expect(!dri::initialized(), "the destructor ends the library");
    remains.reset(); // destroys nothing, harmlessly

    {
        dri::Environment env = dri::Environment::fortran(MPI_Comm_c2f(MPI_COMM_WORLD));
        expect(env.rank() == rank, "a Fortran handle");
        remains = std::make_unique<Remains>();
        try {
            const auto again = dri::environment_of(MPI_COMM_WORLD);
            expect(false, "the library starts twice");
        } catch (const dri::Error &error) {
            expect(error.code() == DRI_ERR_STATE, "the library runs already");
        }
        expect(dri::initialized(), "what failed ends nothing");
        env.finalize();
        expect(!dri::initialized(), "finalize() ends the library");
    } // the destructor does nothing more
    try {
        const auto none = dri::Environment::adopt();
        expect(false, "a library that does not run is taken over");
    } catch (const dri::Error &error) {
        expect(error.code() == DRI_ERR_STATE, "nothing runs");
    }
    // Objects of one session are destroyed in the next one.
    dri::Environment env = dri::environment_of(MPI_COMM_WORLD);
    const dri::Gdo<float, 2> alive(3, 3);
    remains.reset();
    expect(alive.size() == 9, "old objects destroy nothing of a new session");
}

// DRI_TIMEOUT is the default of endpoints. A timeout of 0 in the options is none.
void wait_beyond_the_default(int rank, int size) {
    using namespace std::chrono_literals;
    setenv("DRI_TIMEOUT", "0.02", 1);
    dri::Environment env = dri::environment_of(MPI_COMM_WORLD);
    const dri::Gdo<int, 1> line(8);
    dri::Source by_default("default", dri::Dist(line, {dri::whole()}, dri::Group{0}), {.buffers = 2}),
        for_ever("for ever", dri::Dist(line, {dri::whole()}, dri::Group{0}), {.buffers = 2});
    dri::Sink limited("default", dri::Dist(line, {dri::whole()}, dri::Group{size - 1})),
        unlimited("for ever", dri::Dist(line, {dri::whole()}, dri::Group{size - 1}), {.timeout = 0ms});
    dri::commit();
    if (rank == size - 1 && size > 1) {
        try {
            limited.extract();
            expect(false, "the default timeout passes");
        } catch (const dri::Timeout &) {
        }
        MPI_Barrier(MPI_COMM_WORLD); // the source starts here, and waits for ten timeouts
        expect(unlimited.extract().has_value(), "no timeout is waited for");
        unlimited.release();
    } else if (size > 1) {
        MPI_Barrier(MPI_COMM_WORLD);
        std::this_thread::sleep_for(200ms);
        if (rank == 0)
            for_ever.insert();
    }
    unsetenv("DRI_TIMEOUT");
}

} // namespace

int main(int argc, char **argv) {
    int granted = 0, rank = 0, size = 1, any = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    run_sessions(rank, size);
    wait_beyond_the_default(rank, size);
    dri::on_error([one = std::make_unique<int>(1)](int, const char *) { Late::handled += *one; });
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any;
}
