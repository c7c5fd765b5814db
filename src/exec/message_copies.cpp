// Binds the copies of messages, each form of them once.
#include "exec/message_copies.hpp"

#include "base/memory.hpp"

namespace dri::exec {

void MessageCopies::add(const plan::Message &message, const Team &team, Binding binding, Forms &known) {
    const plan::CopyList &copies = message.copies;
    binding.at.src += static_cast<uintptr_t>(copies.src_distance());
    binding.at.dst += static_cast<uintptr_t>(copies.dst_distance());
    const auto in_line = [](uintptr_t address) { return address % static_cast<uintptr_t>(cache_line_bytes); };
    const Form form{&copies.form(), in_line(binding.at.src), in_line(binding.at.dst)};
    const auto [at, is_new] = known.try_emplace(form, static_cast<uint32_t>(forms_.size()));
    if (is_new)
        forms_.emplace_back(copies.form(), team, binding);
    form_of_.push_back(at->second);
}

std::string MessageCopies::text(size_t message) const {
    const plan::CopyList &copies = (*messages_)[message].copies;
    return forms_[form_of_[message]].text(copies.src_distance(), copies.dst_distance());
}

} // namespace dri::exec
