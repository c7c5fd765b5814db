// Parses case lines. random_case_line.cpp writes them.
#include "random_case.hpp"

#include "random_nodes.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace dri::test {

namespace {

std::vector<std::string> split(const std::string &text, char by) {
    std::vector<std::string> parts;
    int depth = 0;
    parts.emplace_back();
    for (char ch : text) {
        depth += (ch == '(' || ch == '[' || ch == '<') - (ch == ')' || ch == ']' || ch == '>');
        if (ch == by && depth == 0)
            parts.emplace_back();
        else
            parts.back() += ch;
    }
    return parts;
}

bool starts(const std::string &text, const std::string &with) { return text.rfind(with, 0) == 0; }

int64_t number(const std::string &text) {
    size_t used = 0;
    int64_t value = 0;
    try {
        value = std::stoll(text, &used);
    } catch (const std::exception &) {
    }
    if (used == 0 || used != text.size())
        throw std::runtime_error("not a valid number: '" + text + "'");
    return value;
}

// "(a,b)" or "[a,b]" becomes a and b.
std::vector<std::string> list(const std::string &text) {
    if (text.size() < 2)
        throw std::runtime_error("not a valid list: '" + text + "'");
    const std::string inside = text.substr(1, text.size() - 2);
    return inside.empty() ? std::vector<std::string>{} : split(inside, ',');
}

Dims dims(const std::string &text) {
    Dims out;
    for (const std::string &v : list(text))
        out.push_back(number(v));
    return out;
}

model::ElementType parse_type(const std::string &text) {
    for (int i = 1; i <= static_cast<int>(Scalar::float64); ++i) {
        const auto scalar = static_cast<Scalar>(i);
        if (const model::ElementType type = model::make_real(scalar); type_token(type) == text)
            return type;
        if (model::has_complex(scalar) && type_token(model::make_complex(scalar)) == text)
            return model::make_complex(scalar);
    }
    const auto words = split(text, '/');
    if (words[0].empty() || words[0].back() != 'B')
        throw std::runtime_error("not a valid element: '" + text + "'");
    return model::make_record(number(words[0].substr(0, words[0].size() - 1)),
                              words.size() > 1 ? number(words[1]) : 1);
}

// Removes "<2z:1w>" from the end of a text and returns it as an overlap.
model::Overlap take_overlap(std::string &text) {
    model::Overlap overlap;
    const size_t open = text.find('<');
    if (open == std::string::npos)
        return overlap;
    const auto sides = split(text.substr(open + 1, text.size() - open - 2), ':');
    if (sides.size() != 2 || text.back() != '>')
        throw std::runtime_error("not a valid overlap: '" + text + "'");
    const auto read = [](std::string side, int64_t &width, model::Edge &edge) {
        const std::string letters = "wzr";
        if (const size_t at = letters.find(side.empty() ? '?' : side.back()); at != std::string::npos) {
            edge = static_cast<model::Edge>(at + 1);
            side.pop_back();
        }
        width = number(side);
    };
    read(sides[0], overlap.left, overlap.left_edge);
    read(sides[1], overlap.right, overlap.right_edge);
    text.resize(open);
    return overlap;
}

// "0-3:9" becomes 0, 1, 2, 3, 9.
model::IndexList parse_list(const std::string &text) {
    std::vector<int64_t> indices;
    for (const std::string &run : split(text, ':')) {
        if (run.empty())
            continue;
        const auto ends = split(run, '-');
        for (int64_t i = number(ends.front()); i <= number(ends.back()); ++i)
            indices.push_back(i);
    }
    return model::compress(indices);
}

void parse_boxes(const std::string &text, SideSpec &side) {
    model::CutRule exact;
    exact.kind = model::CutKind::exact;
    side.rules.assign(side.sizes.size(), exact);
    for (const std::string &word : split(text.substr(1, text.size() - 2), '|')) {
        model::Box box;
        for (std::string dim : split(word, ',')) {
            const model::Overlap overlap = take_overlap(dim);
            const auto ends = split(dim, '+');
            if (ends.size() != 2 || box.size() == side.rules.size())
                throw std::runtime_error("not a valid box: '" + word + "'");
            model::Overlap &edges = side.rules[box.size()].overlap;
            if (overlap.left_edge != model::Edge::truncate) // an edge given for one box applies to all boxes
                edges.left_edge = overlap.left_edge;
            if (overlap.right_edge != model::Edge::truncate)
                edges.right_edge = overlap.right_edge;
            box.push_back({number(ends[0]), number(ends[0]) + number(ends[1]), overlap.left, overlap.right});
        }
        side.boxes.push_back(box);
    }
}

model::CutRule parse_rule(std::string text) {
    model::CutRule rule;
    rule.overlap = take_overlap(text);
    if (text == "*")
        return rule;
    if (text == "block") {
        rule.kind = model::CutKind::block;
        return rule;
    }
    const size_t open = text.find('(');
    if (open == std::string::npos)
        throw std::runtime_error("not a valid cut rule: '" + text + "'");
    const std::string name = text.substr(0, open);
    auto words = list(text.substr(open));
    if (words.empty() && name == "idx")
        words.emplace_back();
    if (words.empty())
        throw std::runtime_error("not a valid cut rule: '" + text + "'");
    if (name == "whole")
        rule.kind = model::CutKind::whole;
    else if (name == "block")
        rule.kind = model::CutKind::block;
    else if (name == "cyclic")
        rule.kind = model::CutKind::block_cyclic;
    else if (name == "sizes")
        rule.kind = model::CutKind::sizes;
    else if (name == "weights")
        rule.kind = model::CutKind::weights;
    else if (name == "idx")
        rule.kind = model::CutKind::indices;
    else
        throw std::runtime_error("unknown kind of cut: '" + name + "'");
    if (rule.kind == model::CutKind::sizes) {
        for (const std::string &s : split(words[0], ':'))
            rule.sizes.push_back(number(s));
        rule.nparts = static_cast<int64_t>(rule.sizes.size());
    } else if (rule.kind == model::CutKind::weights) {
        for (const std::string &w : split(words[0], ':'))
            rule.weights.push_back(std::stod(w));
        rule.nparts = static_cast<int64_t>(rule.weights.size());
    } else if (rule.kind == model::CutKind::indices) {
        for (const std::string &list_text : split(words[0], '|'))
            rule.lists.push_back(parse_list(list_text));
        rule.nparts = static_cast<int64_t>(rule.lists.size());
    } else {
        rule.nparts = number(words[0]);
    }
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string &w = words[i];
        if (w == "last")
            rule.remainder = model::Remainder::balanced_last;
        else if (w == "ceil")
            rule.remainder = model::Remainder::ceil;
        else if (w == "prop")
            rule.remainder = model::Remainder::proportional;
        else if (starts(w, "min="))
            rule.min = number(w.substr(4));
        else if (starts(w, "max="))
            rule.max = number(w.substr(4));
        else if (starts(w, "multiple="))
            rule.multiple = number(w.substr(9));
        else
            rule.block = number(w);
    }
    return rule;
}

model::Layout parse_layout(const std::string &text) {
    const auto words = split(text, '/');
    model::Layout layout;
    if (words[0] == "cm") {
        layout.kind = model::LayoutKind::col_major;
    } else if (starts(words[0], "s")) {
        std::vector<int64_t> strides;
        for (const std::string &s : split(words[0].substr(1), ':'))
            strides.push_back(number(s));
        layout = model::make_strided(strides);
    } else if (words[0] != "rm" && words[0] != "-") {
        std::vector<int> order;
        for (char digit : words[0])
            order.push_back(digit - '0');
        layout = model::make_packed(order);
    }
    for (size_t i = 1; i < words.size(); ++i) {
        if (words[i] == "split")
            layout = model::with_complex(layout, static_cast<int>(model::ComplexFormat::split));
        else
            layout =
                model::with_pitch(layout, words[i] == "auto" ? model::pitch_auto : number(words[i].substr(1)));
    }
    return layout;
}

std::vector<int> all_ranks_of(int job) {
    if (job == 0)
        throw std::runtime_error("no job is known whose processes could be meant");
    std::vector<int> ranks(static_cast<size_t>(job));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

std::vector<int> parse_ranks(const std::string &text, int job) {
    if (text == "all")
        return all_ranks_of(job);
    std::vector<int> ranks;
    for (const std::string &part : split(text, ',')) {
        const auto ends = split(part, '-');
        const int64_t first = number(ends.front()), last = number(ends.back()), step = first <= last ? 1 : -1;
        for (int64_t r = first; r != last + step; r += step)
            ranks.push_back(static_cast<int>(r));
    }
    return ranks;
}

SideSpec parse_side(std::istream &in, const Dims &root, int job) {
    SideSpec side{.offset = Dims(root.size(), 0), .sizes = root, .rules = {}, .ranks = {}, .layouts = {}};
    std::string word;
    in >> word;
    if (starts(word, "at")) {
        const size_t plus = word.find('+');
        if (plus == std::string::npos)
            throw std::runtime_error("not a valid box: '" + word + "'");
        side.offset = dims(word.substr(2, plus - 2));
        side.sizes = dims(word.substr(plus + 1));
        in >> word;
    }
    if (starts(word, "{"))
        parse_boxes(word, side);
    else if (word != "-")
        for (const std::string &rule : split(word, ','))
            side.rules.push_back(parse_rule(rule));
    in >> word;
    for (const std::string &layout : split(word, '|'))
        side.layouts.push_back(parse_layout(layout));
    // Without ranks the side has as many processes as parts, from rank 0, or all if the library chooses the parts.
    const auto before = in.tellg();
    if (in >> word && word == "over") {
        in >> word;
        side.ranks = parse_ranks(word, job);
        return side;
    }
    in.clear();
    in.seekg(before);
    if (job > 0 && side.boxes.empty() &&
        std::any_of(side.rules.begin(), side.rules.end(),
                    [](const model::CutRule &rule) { return rule.chooses_parts(); })) {
        side.ranks = all_ranks_of(job);
        return side;
    }
    int64_t parts = side.boxes.empty() ? 1 : std::ssize(side.boxes);
    for (const model::CutRule &rule : side.rules)
        parts *= rule.fixed_parts();
    for (int64_t r = 0; r < parts; ++r)
        side.ranks.push_back(static_cast<int>(r));
    return side;
}

Memory parse_memory(const std::string &name) {
    const auto found = std::find(memory_names.begin(), memory_names.end(), name);
    if (found == memory_names.end())
        throw std::runtime_error("unknown memory: '" + name + "'");
    return static_cast<Memory>(found - memory_names.begin());
}

// Words about how the processes of a job execute a case.
bool read_job_word(const std::string &word, TransferCase &c) {
    const size_t equals = std::min(word.find('='), word.size() - 1);
    const std::string name = word.substr(0, equals + 1);
    const auto values = split(word.substr(equals + 1), ',');
    if (name == "frames=") {
        c.frames = static_cast<int>(number(values.front()));
    } else if (name == "buffers=") {
        c.source.buffers = static_cast<int>(number(values.front()));
        c.sink.buffers = static_cast<int>(number(values.back()));
    } else if (name == "memory=") {
        c.source.memory = parse_memory(values.front());
        c.sink.memory = parse_memory(values.back());
    } else {
        return false;
    }
    return true;
}

} // namespace

TransferCase from_line(const std::string &line, int job) {
    std::istringstream in(line);
    TransferCase c;
    std::string word;
    in >> word;
    c.type = parse_type(word);
    in >> word;
    c.root = dims(word);
    c.source = parse_side(in, c.root, job);
    in >> word;
    if (word != "->")
        throw std::runtime_error("'->' is missing");
    c.sink = parse_side(in, c.root, job);
    while (in >> word) {
        if (starts(word, "limit="))
            c.message_bytes = number(word.substr(6));
        else if (starts(word, "chunk="))
            c.chunk_bytes = number(word.substr(6));
        else if (starts(word, "to="))
            c.sink.type = parse_type(word.substr(3));
        else if (starts(word, "scale="))
            c.sink.scale = std::stod(word.substr(6));
        else if (read_way(word, c) || read_job_word(word, c))
            continue;
        else if (word.substr(0, 6) == "plain=")
            c.gathering.plain_copies = number(word.substr(6));
        else if (word.substr(0, 5) == "even=")
            c.gathering.even_tables = number(word.substr(5));
        else
            throw std::runtime_error("unknown word: '" + word + "'");
    }
    return c;
}

} // namespace dri::test
