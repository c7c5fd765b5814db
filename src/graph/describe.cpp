// A plan in words. Nothing in the text depends on the order in which nodes were added.
#include "graph/plan_body.hpp"

#include "base/printable.hpp"

#include <iterator>

namespace dri::graph {

namespace {

void write_names(std::string &text, const char *title, const char *const *names, int n) {
    if (n == 0)
        return;
    fmt::format_to(std::back_inserter(text), "    {}:", title);
    for (int i = 0; i < n; ++i)
        fmt::format_to(std::back_inserter(text), " {}", printable(names[i]));
    text += '\n';
}

} // namespace

std::string PlanBody::describe() const {
    std::string text;
    const auto to = std::back_inserter(text);
    fmt::format_to(to, "{} operations in {} batches\n", operations_->count(), operations_->batches());
    for (int64_t batch = 0; batch < operations_->batches(); ++batch) {
        fmt::format_to(to, "batch {}\n", batch);
        for (const int64_t at : operations_->in_batch(batch)) {
            fmt::format_to(to, "    {}, {} bytes", printable(operations_->name(at).text()),
                           operations_->bytes(at));
            for (const int64_t need : operations_->needs(at))
                fmt::format_to(to, "; needs {}", printable(operations_->name(need).text()));
            text += '\n';
        }
    }
    for (const ShownPart &shown : shown_) {
        const DRI_Graph_part &part = shown.part;
        fmt::format_to(to, "part {} of process {}\n", part.pid, rank_);
        for (const DRI_Operation &one : shown.recvs)
            fmt::format_to(to, "    receives ({}, {}, '{}') as {}\n", one.src, one.dest, printable(one.tag),
                           printable(one.name));
        for (const int call : reached_.calls)
            if (cut_.call_part[static_cast<size_t>(call)] == part.pid)
                fmt::format_to(to, "    calls '{}'\n", printable(body_->call(call).name));
        for (const DRI_Operation &one : shown.sends)
            fmt::format_to(to, "    sends ({}, {}, '{}') from {}\n", one.src, one.dest, printable(one.tag),
                           printable(one.name));
        write_names(text, "inputs", part.inputs, part.ninputs);
        write_names(text, "part inputs", part.part_inputs, part.npart_inputs);
        write_names(text, "outputs", part.outputs, part.noutputs);
    }
    return text;
}

} // namespace dri::graph
