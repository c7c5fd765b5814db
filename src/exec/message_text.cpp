// Explains messages, and gives those that are alike one text.
#include "exec/message_text.hpp"

#include "base/error.hpp"
#include "plan/plan.hpp"
#include "plan/strided_copy.hpp"
#include "transport/exchange_spec.hpp"

#include <algorithm>

namespace dri::exec {

namespace {

// Whether two messages differ in nothing except the offsets of their copies. Such messages share one line of text.
bool are_alike(const plan::Message &a, const plan::Message &b) {
    const auto moves_alike = [](const plan::StridedCopy &x, const plan::StridedCopy &y) {
        plan::StridedCopy there = x;
        there.src_offset = y.src_offset;
        there.dst_offset = y.dst_offset;
        return there == y;
    };
    const auto &forms_a = a.copies.form(), &forms_b = b.copies.form();
    return a.peer == b.peer && a.bytes == b.bytes &&
           (&forms_a == &forms_b ||
            std::equal(forms_a.begin(), forms_a.end(), forms_b.begin(), forms_b.end(), moves_alike));
}

std::string rounds_text(const plan::Message &first, const plan::Message &last) {
    return first.round == last.round ? fmt::format(" in round {}", first.round)
                                     : fmt::format(" in rounds {} to {}", first.round, last.round);
}

} // namespace

std::string message_text(const char *verb, const std::vector<plan::Message> &messages, const MessageCopies &copies,
                         bool in_rounds, const std::vector<int64_t> &at) {
    const auto is_packed = [&](size_t i) { return !transport::is_outside(at, i); };
    std::string text;
    for (size_t i = 0, next = 0; i < messages.size(); i = next) {
        for (next = i + 1; next < messages.size() && are_alike(messages[i], messages[next]);)
            ++next;
        text += fmt::format(
            "  message {} {}: {} bytes{}{}\n{}", verb, messages[i].peer, messages[i].bytes,
            in_rounds ? rounds_text(messages[i], messages[next - 1]) : "",
            next > i + 1 ? fmt::format(", the first of {} that differ in offsets only", next - i) : "",
            is_packed(i) ? copies.text(i) : std::string("    where it lies in the buffer, not packed\n"));
    }
    return text;
}

} // namespace dri::exec
