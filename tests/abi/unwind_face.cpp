// One process leaves by an exception while the others wait for it. Its Environment does not end the library, so
// mpirun ends the job at once.
#include <dri/dri.hpp>

#include <iostream>
#include <stdexcept>

int main(int argc, char **argv) {
    try {
        dri::Environment env(argc, argv);
        try {
            throw std::runtime_error("caught");
        } catch (const std::exception &) {
            const dri::Gdo<float, 1> usable(4); // an exception that is over changes nothing
        }
        const dri::Dist dist(dri::Gdo<float, 1>(100), {dri::block()});
        dri::Source source("never", dist);
        if (env.rank() == 1)
            throw std::runtime_error("process 1 fails alone");
        dri::Sink sink("never", dist);
        dri::commit();
    } catch (const std::exception &error) {
        std::cout << error.what()
                  << (dri::initialized() ? ", and the library still runs" : ", the library has ended")
                  << std::endl;
        return 1;
    }
    return 0;
}
