#include "copy_text.hpp"

#include <regex>
#include <stdexcept>

namespace kernel_bench {

namespace {

dri::Scalar scalar(const std::string &name) {
    if (const auto found = dri::scalar_named(name))
        return *found;
    throw std::runtime_error("'" + name + "' is not a scalar type");
}

} // namespace

dri::plan::StridedCopy parse_copy(const std::string &text) {
    static const std::regex whole(
        R"(\s*(\d+)B(?:\s+(\w+)->(\w+))?(?:\s+@(\d+)->@(\d+))?((?:\s+x\[\d+: \d+->\d+\])*)\s*)");
    static const std::regex loop(R"(x\[(\d+): (\d+)->(\d+)\])");
    std::smatch m;
    if (!std::regex_match(text, m, whole))
        throw std::runtime_error("'" + text + R"(' is not a copy such as "8B x[64: 8->512] x[64: 512->8]")");
    dri::plan::StridedCopy copy;
    copy.run_bytes = std::stoll(m[1]);
    if (m[2].matched)
        copy.conversion = dri::plan::make_conversion(scalar(m[2]), scalar(m[3]), 1);
    if (m[4].matched) {
        copy.src_offset = std::stoll(m[4]);
        copy.dst_offset = std::stoll(m[5]);
    }
    const std::string loops = m[6];
    for (std::sregex_iterator l(loops.begin(), loops.end(), loop), end; l != end; ++l) {
        if (copy.loops.size() == dri::plan::max_loops)
            throw std::runtime_error("'" + text + "' has more loops than a copy can have");
        copy.loops.push_back({std::stoll((*l)[1]), std::stoll((*l)[2]), std::stoll((*l)[3])});
    }
    if (dri::plan::copy_bytes(copy) == 0)
        throw std::runtime_error("'" + text + "' copies nothing");
    if (copy.conversion && copy.run_bytes % scalar_bytes(copy.conversion.from) != 0)
        throw std::runtime_error("'" + text + "' splits a number");
    return copy;
}

std::pair<int64_t, int64_t> extents(const dri::plan::StridedCopy &copy) {
    int64_t src = copy.src_offset + copy.run_bytes, dst = copy.dst_offset + dri::plan::dst_run_bytes(copy);
    for (const dri::plan::Loop &l : copy.loops) {
        src += (l.count - 1) * l.src_stride;
        dst += (l.count - 1) * l.dst_stride;
    }
    return {src, dst};
}

} // namespace kernel_bench
