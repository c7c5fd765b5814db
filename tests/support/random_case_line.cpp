// Writes case lines. random_case_parse.cpp parses them.
#include "oracle.hpp"
#include "random_nodes.hpp"

#include <algorithm>

namespace dri::test {

namespace {

std::string join(const Dims &values) { return fmt::format("{}", fmt::join(values.begin(), values.end(), ",")); }

std::string layout_token(const model::Layout &layout) {
    std::string text;
    switch (layout.kind) {
    case model::LayoutKind::row_major: text = "rm"; break;
    case model::LayoutKind::col_major: text = "cm"; break;
    case model::LayoutKind::packed:
        text = fmt::format("{}", fmt::join(layout.order.begin(), layout.order.end(), ""));
        break;
    case model::LayoutKind::strided:
        text = fmt::format("s{}", fmt::join(layout.strides.begin(), layout.strides.end(), ":"));
        break;
    }
    if (text.empty())
        text = "rm";
    if (layout.pitch == model::pitch_auto)
        text += "/auto";
    else if (layout.pitch > 0)
        text += fmt::format("/p{}", layout.pitch);
    if (layout.format == model::ComplexFormat::split)
        text += "/split";
    return text;
}

std::string box_text(const model::Box &box, const model::Partition &rules) {
    std::string text;
    for (size_t d = 0; d < box.size(); ++d) {
        model::Overlap overlap = rules[d].overlap;
        overlap.left = box[d].left;
        overlap.right = box[d].right;
        text += fmt::format("{}{}+{}{}", d ? "," : "", box[d].lo, box[d].hi - box[d].lo, model::to_text(overlap));
    }
    return text;
}

std::string cut_text(const model::CutRule &rule) {
    // Whole dimensions may carry a number of parts and constraints. Lists of indices are written out.
    const model::CutRule plain{.overlap = rule.overlap};
    if ((rule.kind != model::CutKind::whole || rule == plain) && rule.kind != model::CutKind::indices)
        return model::to_text(rule, rule.nparts);
    model::CutRule block = rule; // writes the words in the brackets
    block.kind = model::CutKind::block;
    const std::string words = model::to_text(block, rule.nparts);
    if (rule.kind == model::CutKind::whole)
        return "whole" + words.substr(5);
    std::string lists;
    for (const model::IndexList &list : rule.lists)
        lists += (&list == &rule.lists.front() ? "" : "|") + model::to_text(list);
    return "idx(" + lists + words.substr(words.find_first_of(",)"));
}

std::string side_text(const TransferCase &c, const SideSpec &side) {
    std::string text;
    if (side.sizes != c.root || side.offset != Dims(c.root.size(), 0))
        text += fmt::format("at[{}]+[{}] ", join(side.offset), join(side.sizes));
    std::vector<std::string> cuts, layouts;
    for (const model::CutRule &rule : side.rules)
        cuts.push_back(cut_text(rule));
    if (!side.boxes.empty()) {
        std::vector<std::string> boxes;
        for (const model::Box &box : side.boxes)
            boxes.push_back(box_text(box, side.rules));
        cuts.assign(1, fmt::format("{{{}}}", fmt::join(boxes, "|")));
    }
    if (cuts.empty())
        cuts.emplace_back("-");
    for (const model::Layout &layout : side.layouts)
        layouts.push_back(layout_token(layout));
    return fmt::format("{}{} {} over {}", text, fmt::join(cuts, ","), fmt::join(layouts, "|"),
                       model::to_text(model::Group(side.ranks)));
}

} // namespace

std::string type_token(const model::ElementType &type) {
    if (model::is_record(type))
        return fmt::format("{}B", type.size) + (type.alignment != 1 ? fmt::format("/{}", type.alignment) : "");
    std::string name = model::to_text(type);
    std::replace(name.begin(), name.end(), ' ', '-');
    return name;
}

TransferCase from_line(const std::string &line, int job) {
    TransferCase c = parse_case(line, CaseWords::all, job);
    for (SideSpec *side : {&c.source, &c.sink})
        for (model::CutRule &rule : side->rules)
            for (model::IndexList &list : rule.lists)
                list = model::compress(listed(list));
    return c;
}

std::string to_line(const TransferCase &c) {
    std::string text = fmt::format("{} [{}] {} -> {}", type_token(c.type), join(c.root), side_text(c, c.source),
                                   side_text(c, c.sink));
    if (c.sink.type)
        text += " to=" + type_token(*c.sink.type);
    if (c.sink.scale != 1)
        text += fmt::format(" scale={}", c.sink.scale);
    const planner::PlanOptions common;
    const auto add = [&](const char *word, int64_t value, int64_t usual) {
        text += value == usual ? "" : fmt::format(" {}={}", word, value);
    };
    add("limit", c.message_bytes, common.message_bytes);
    add("chunk", c.chunk_bytes, common.chunk_bytes);
    text += ways_text(c);
    const auto add_pair = [&](const char *word, const auto &a, const auto &b, const auto &usual) {
        if (a != usual || b != usual)
            text += a == b ? fmt::format(" {}={}", word, a) : fmt::format(" {}={},{}", word, a, b);
    };
    add("plain", c.gathering.plain_copies, common.gathering.plain_copies);
    add("even", c.gathering.even_tables, common.gathering.even_tables);
    const auto name = [](const SideSpec &side) {
        return std::string(memory_names[static_cast<size_t>(side.memory)]);
    };
    add_pair("buffers", c.source.buffers, c.sink.buffers, 1);
    add_pair("memory", name(c.source), name(c.sink), name(SideSpec{}));
    add("frames", c.frames, TransferCase{}.frames);
    return text;
}

} // namespace dri::test
