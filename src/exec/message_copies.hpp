// The copies of all messages of one direction, bound to kernels. Messages that are the same copies at other
// offsets share them.
#pragma once

#include "exec/link_context.hpp"
#include "exec/team_copies.hpp"
#include "plan/plan.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dri::exec {

class MessageCopies {
public:
    MessageCopies() = default;
    // messages: must outlive this object. each: the binding of a message's copies. Its addresses are those of the
    // buffer and of the message.
    template <class Each>
    MessageCopies(const std::vector<plan::Message> &messages, const Team &team, const Each &each)
        : messages_(&messages) {
        Forms known;
        form_of_.reserve(messages.size());
        for (const plan::Message &m : messages)
            add(m, team, each(m), known);
    }

    size_t size() const { return form_of_.size(); }
    // src, dst: the buffer and the message, or the message and the buffer.
    void run(size_t message, const std::byte *src, std::byte *dst) const {
        const plan::CopyList &copies = (*messages_)[message].copies;
        forms_[form_of_[message]].run(src + copies.src_distance(), dst + copies.dst_distance());
    }
    // As in TeamCopies.
    std::string text(size_t message) const;

private:
    struct Form {
        const void *copies;
        uintptr_t src_in_line, dst_in_line; // offsets in a cache line: the fastest kernel may depend on them
        auto operator<=>(const Form &) const = default;
    };
    using Forms = std::map<Form, uint32_t>;
    void add(const plan::Message &message, const Team &team, Binding binding, Forms &known);

    const std::vector<plan::Message> *messages_ = nullptr;
    std::vector<TeamCopies> forms_;
    std::vector<uint32_t> form_of_; // per message
};

} // namespace dri::exec
