#include "machine.hpp"

#include "streamed_copy.hpp"

#include <dri/dri.h>
#include <fftw3.h>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace bench {

namespace {

std::string first_line(const std::filesystem::path &file) {
    std::string line;
    std::getline(std::ifstream(file), line);
    return line;
}

std::string cpu_model() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name"))
            return line.substr(line.find(':') + 2);
    return "unknown";
}

std::vector<std::string> caches() {
    std::vector<std::string> found;
    const std::filesystem::path folder = "/sys/devices/system/cpu/cpu0/cache";
    for (int i = 0; std::filesystem::exists(folder / ("index" + std::to_string(i))); ++i) {
        const auto cache = folder / ("index" + std::to_string(i));
        found.push_back("L" + first_line(cache / "level") + " " + first_line(cache / "type") + " " +
                        first_line(cache / "size"));
    }
    return found;
}

std::string mpi_version() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string version(text, static_cast<size_t>(length));
    return version.substr(0, version.find_first_of(",\n"));
}

std::string dri_version() {
    int major = 0, minor = 0, patch = 0;
    DRI_version(&major, &minor, &patch);
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

int allowed_cores() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

} // namespace

Machine describe_machine() {
    Machine machine;
    machine.cpu = cpu_model();
    machine.cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    machine.cores_allowed = allowed_cores();
    machine.caches = caches();
    machine.mpi = mpi_version();
    machine.fftw = fftwf_version;
    machine.dri = dri_version();
    machine.limit_isa = streamed_copy_isa();
    return machine;
}

} // namespace bench
