// The text that explains the copies, messages and pulls of a link.
#include "base/error.hpp"
#include "exec/link.hpp"
#include "plan/plan.hpp"
#include "plan/strided_copy.hpp"

#include <algorithm>

namespace dri::exec {

namespace {

std::string text_of(const std::vector<TeamCopies> &lists) {
    std::string text;
    for (const TeamCopies &copies : lists)
        text += copies.text();
    return text;
}

// Whether two messages differ in nothing except the offsets of their copies. Such messages share one line of text.
bool are_alike(const plan::Message &a, const plan::Message &b) {
    const auto moves_alike = [](const plan::StridedCopy &x, const plan::StridedCopy &y) {
        plan::StridedCopy there = x;
        there.src_offset = y.src_offset;
        there.dst_offset = y.dst_offset;
        return there == y;
    };
    return a.peer == b.peer && a.bytes == b.bytes &&
           std::equal(a.copies.begin(), a.copies.end(), b.copies.begin(), b.copies.end(), moves_alike);
}

std::string rounds_text(const plan::Message &first, const plan::Message &last) {
    return first.round == last.round ? fmt::format(" in round {}", first.round)
                                     : fmt::format(" in rounds {} to {}", first.round, last.round);
}

std::string text_of(const char *verb, const std::vector<plan::Message> &messages,
                    const std::vector<TeamCopies> &copies, bool in_rounds) {
    std::string text;
    for (size_t i = 0, next = 0; i < messages.size(); i = next) {
        for (next = i + 1; next < messages.size() && are_alike(messages[i], messages[next]);)
            ++next;
        text +=
            fmt::format("  message {} {}: {} bytes{}{}\n{}", verb, messages[i].peer, messages[i].bytes,
                        in_rounds ? rounds_text(messages[i], messages[next - 1]) : "",
                        next > i + 1 ? fmt::format(", the first of {} that differ in offsets only", next - i) : "",
                        copies[i].text());
    }
    return text;
}

} // namespace

std::string Link::explain_source() const {
    std::string text = self_.empty() ? "" : "  self\n" + text_of(self_);
    if (in_place_)
        text += in_place_->text();
    for (const plan::Puller &puller : plan_->pullers)
        text += fmt::format("  direct to {}: {} bytes\n", puller.peer, puller.bytes);
    return text + text_of("to", plan_->sends, packs_, in_place());
}

std::string Link::explain_sink() const {
    std::string text = self_.empty() ? "" : "  self\n" + text_of(self_);
    for (const plan::StridedCopy &fill : plan_->zeros)
        text += fmt::format("  zeros into pads: {} bytes\n", plan::copy_bytes(fill));
    for (size_t i = 0; i < pulls_.size(); ++i)
        text += fmt::format("  direct from {}: {} bytes\n{}", plan_->pulls[i].peer,
                            plan::pull_bytes(plan_->pulls[i]), pulls_[i].text());
    return text + text_of("from", plan_->receives, unpacks_, in_place());
}

} // namespace dri::exec
