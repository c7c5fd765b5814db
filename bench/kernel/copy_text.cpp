#include "copy_text.hpp"

#include <regex>
#include <stdexcept>

namespace kernel_bench {

namespace {

dri::Scalar scalar(const std::string &name) {
    for (int s = static_cast<int>(dri::Scalar::int8); s <= static_cast<int>(dri::Scalar::float64); ++s)
        if (name == scalar_name(static_cast<dri::Scalar>(s)))
            return static_cast<dri::Scalar>(s);
    throw std::runtime_error("'" + name + "' is no type of numbers");
}

} // namespace

dri::StridedCopy parse_copy(const std::string &text) {
    static const std::regex whole(
        R"(\s*(\d+)B(?:\s+(\w+)->(\w+))?(?:\s+@(\d+)->@(\d+))?((?:\s+x\[\d+: \d+->\d+\])*)\s*)");
    static const std::regex loop(R"(x\[(\d+): (\d+)->(\d+)\])");
    std::smatch m;
    if (!std::regex_match(text, m, whole))
        throw std::runtime_error("'" + text + R"(' is no copy such as "8B x[64: 8->512] x[64: 512->8]")");
    dri::StridedCopy copy;
    copy.run_bytes = std::stoll(m[1]);
    if (m[2].matched)
        copy.conversion = {scalar(m[2]), scalar(m[3]), 1};
    if (m[4].matched) {
        copy.src_offset = std::stoll(m[4]);
        copy.dst_offset = std::stoll(m[5]);
    }
    const std::string loops = m[6];
    for (std::sregex_iterator l(loops.begin(), loops.end(), loop), end; l != end; ++l)
        copy.loops.push_back({std::stoll((*l)[1]), std::stoll((*l)[2]), std::stoll((*l)[3])});
    return copy;
}

std::pair<int64_t, int64_t> extents(const dri::StridedCopy &copy) {
    int64_t src = copy.src_offset + copy.run_bytes, dst = copy.dst_offset + dst_run_bytes(copy);
    for (const dri::Loop &l : copy.loops) {
        src += (l.count - 1) * l.src_stride;
        dst += (l.count - 1) * l.dst_stride;
    }
    return {src, dst};
}

} // namespace kernel_bench
