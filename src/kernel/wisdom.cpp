// Keeps measured choices of kernels, and writes and reads them as text.
#include "kernel/wisdom.hpp"

#include "base/error.hpp"
#include "base/memory.hpp"

namespace dri::kernel {

namespace {

constexpr std::string_view format_name = "dri-wisdom";
constexpr std::string_view format_version = "1";
constexpr std::string_view separator = " = ";

// Removes and returns the first line. A line may end with a carriage return, as on other systems. It is removed,
// because it would be invisible in an error message.
std::string_view take_line(std::string_view &text) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

// The first line names the format and its version.
void check_head(std::string_view line) {
    const size_t space = line.find(' ');
    if (line.substr(0, space) != format_name || space == std::string_view::npos)
        fail(DRI_ERR_ARG, "line 1 is '{}', but it must be '{} {}'", line.substr(0, 80), format_name,
             format_version);
    if (const auto version = line.substr(space + 1); version != format_version)
        fail(DRI_ERR_UNSUPPORTED, "the wisdom has format version '{}', but this library reads only version {}",
             version.substr(0, 80), format_version);
}

// The texts of a line's shape and choice. Fails if they cannot belong together.
std::pair<std::string, std::string> check_line(std::string_view line) {
    const size_t at = line.find(separator);
    if (at == std::string_view::npos)
        fail(DRI_ERR_ARG, "the line has no '{}' between a shape and a choice", separator);
    const std::string_view left = line.substr(0, at), right = line.substr(at + separator.size());
    const Shape shape = shape_from_text(left);
    const KnownChoice known = choice_from_text(right);
    if (known.isa > shape.isa)
        fail(DRI_ERR_ARG, "the kernel '{}' needs more than {}, the instruction set of the shape", right,
             isa_name(shape.isa));
    if (known.choice.kernel && !known.choice.kernel->fits(shape.copy))
        fail(DRI_ERR_ARG, "the kernel '{}' does not fit the copy of the shape", right);
    return {std::string(left), std::string(right)};
}

} // namespace

std::string to_text(const Shape &shape) {
    return fmt::format("{} l2 {} l3 {} threads {} written {} copy {}", isa_name(shape.isa), shape.caches.second,
                       shape.caches.outermost, shape.threads, shape.written_bytes, plan::to_text(shape.copy));
}

Shape shape_of(const plan::StridedCopy &copy, uintptr_t src, uintptr_t dst, int64_t written_bytes, Isa isa) {
    const auto in_line = [](uintptr_t address, int64_t offset) {
        return static_cast<int64_t>((address + static_cast<uintptr_t>(offset)) % cache_line_bytes);
    };
    Shape shape{copy, written_bytes, isa, cache_bytes()};
    shape.copy.src_offset = in_line(src, copy.src_offset);
    shape.copy.dst_offset = in_line(dst, copy.dst_offset);
    return shape;
}

std::optional<Choice> Wisdom::find(const Shape &shape) const {
    const std::lock_guard lock(mutex_);
    if (choices_.empty())
        return std::nullopt;
    const auto known = choices_.find(dri::kernel::to_text(shape));
    if (known == choices_.end())
        return std::nullopt;
    const Choice choice = choice_from_text(known->second).choice;
    if (!choice.kernel || choice.kernel->isa > shape.isa || !choice.kernel->fits(shape.copy))
        return std::nullopt;
    return choice;
}

void Wisdom::learn(const Shape &shape, const Choice &choice) {
    const std::lock_guard lock(mutex_);
    choices_[dri::kernel::to_text(shape)] = dri::kernel::to_text(choice);
}

std::string Wisdom::to_text() const {
    std::string text = fmt::format("{} {}\n", format_name, format_version);
    const std::lock_guard lock(mutex_);
    for (const auto &[shape, choice] : choices_)
        text += fmt::format("{}{}{}\n", shape, separator, choice);
    return text;
}

void Wisdom::merge(std::string_view text) {
    check_head(take_line(text));
    std::map<std::string, std::string, std::less<>> more;
    for (int64_t number = 2; !text.empty(); ++number) {
        const std::string_view line = take_line(text);
        try {
            auto [shape, choice] = check_line(line);
            more.insert_or_assign(std::move(shape), std::move(choice));
        } catch (const Error &error) {
            fail(DRI_ERR_ARG, "line {}: {}", number, error.what());
        }
    }
    const std::lock_guard lock(mutex_);
    more.merge(choices_); // entries of the new text win
    choices_ = std::move(more);
}

} // namespace dri::kernel
