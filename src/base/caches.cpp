// Reads the sizes of the processor's caches from Linux, or else from the C library.
#include "base/caches.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace dri::inline base {

namespace {

int64_t known_or(int name, int64_t if_unknown) {
    const long bytes = sysconf(name);
    return bytes > 0 ? int64_t{bytes} : if_unknown;
}

std::string word_in(const std::filesystem::path &file) {
    std::string word;
    std::ifstream(file) >> word;
    return word;
}

// Parses a size as Linux writes it, such as "32768K". Returns 0 for any other text.
int64_t bytes_of(const std::string &size) {
    constexpr int64_t max_bytes = int64_t{1} << 32;
    int64_t bytes = 0;
    size_t i = 0;
    for (; i < size.size() && size[i] >= '0' && size[i] <= '9' && bytes < max_bytes; ++i)
        bytes = bytes * 10 + (size[i] - '0');
    const std::string unit = size.substr(i);
    const int shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
    return i == 0 || (shift == 0 && !unit.empty()) || bytes >= max_bytes ? 0 : bytes << shift;
}

} // namespace

// The outermost cache is the one with the highest level. Instruction caches and the first level do not count.
std::optional<CacheBytes> read_caches(const std::filesystem::path &folder) {
    int64_t second = 0, outermost = 0;
    std::string last_level;
    for (char i = '0'; i <= '9'; ++i) {
        const auto cache = folder / (std::string("index") + i);
        const std::string level = word_in(cache / "level"), type = word_in(cache / "type");
        const int64_t bytes = bytes_of(word_in(cache / "size"));
        if (bytes == 0 || type == "Instruction" || level < "2" || level.size() != 1)
            continue;
        if (level == "2")
            second = bytes;
        if (level > last_level) {
            last_level = level;
            outermost = bytes;
        }
    }
    if (second == 0)
        return std::nullopt;
    return CacheBytes{second, outermost};
}

// The C library is asked only if Linux reports nothing. Some versions of it add up the caches of all cores, or
// report even more: 320 MiB instead of 32 MiB on a virtual machine with two cores.
CacheBytes cache_bytes() {
    static const CacheBytes bytes = [] {
        if (const auto read = read_caches("/sys/devices/system/cpu/cpu0/cache"))
            return *read;
        const int64_t second = known_or(_SC_LEVEL2_CACHE_SIZE, int64_t{512} << 10);
        return CacheBytes{second, std::max(second, known_or(_SC_LEVEL3_CACHE_SIZE, int64_t{32} << 20))};
    }();
    return bytes;
}

} // namespace dri::inline base
