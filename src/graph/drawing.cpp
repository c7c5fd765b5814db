// A row for each process, a column for each batch, a box for each part, and an arrow for each operation.
#include "graph/drawing.hpp"

#include "base/printable.hpp"
#include "graph/cut.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace dri::graph {

namespace {

constexpr size_t most_rows_of_their_own = 64;

// A text between double quotes of the language of Graphviz.
std::string quoted(const std::string &text) {
    std::string out;
    for (const char letter : printable(text)) {
        if (letter == '"' || letter == '\\')
            out += '\\';
        out += letter;
    }
    return out;
}

std::string ranks_text(const std::vector<int> &ranks) {
    return ranks.size() == 1 ? fmt::format("process {}", ranks.front())
                             : fmt::format("{} processes from {}", ranks.size(), ranks.front());
}

// Processes that are drawn as one row.
struct DrawnRow {
    std::vector<int> ranks;
    std::vector<int64_t> slots; // per part
    std::vector<DrawnPart> parts;
};

class Picture {
public:
    Picture(const Operations &operations, const std::vector<DrawnProcess> &processes) : operations_(operations) {
        make_rows(processes);
        for (const DrawnRow &row : rows_)
            for (const DrawnPart &part : row.parts)
                slowest_ = std::max(slowest_, part.seconds);
        write();
    }
    std::string take() { return std::move(text_); }

private:
    template <class... Args> void line(fmt::format_string<Args...> text, Args &&...args) {
        fmt::format_to(std::back_inserter(text_), text, std::forward<Args>(args)...);
        text_ += '\n';
    }

    void make_rows(const std::vector<DrawnProcess> &processes) {
        std::map<std::string, size_t> known;
        for (const DrawnProcess &process : processes) {
            DrawnRow row{{process.rank}, {}, process.parts};
            std::string key = processes.size() <= most_rows_of_their_own ? std::to_string(process.rank) : "";
            for (const PartOperations &part : parts_of(operations_, process.rank))
                row.slots.push_back(part.slot);
            for (size_t pid = 0; pid < row.parts.size(); ++pid) {
                fmt::format_to(std::back_inserter(key), "|{}", row.slots[pid]);
                for (const std::string &call : row.parts[pid].calls) // with its length: a name may have any bytes
                    fmt::format_to(std::back_inserter(key), ":{} {}", call.size(), call);
            }
            const auto [at, is_new] = known.try_emplace(key, rows_.size());
            row_of_[process.rank] = at->second;
            if (is_new) {
                rows_.push_back(std::move(row));
                continue;
            }
            DrawnRow &same = rows_[at->second];
            same.ranks.push_back(process.rank);
            for (size_t pid = 0; pid < same.parts.size(); ++pid)
                same.parts[pid].seconds = std::max(same.parts[pid].seconds, process.parts[pid].seconds);
        }
    }

    std::string box(size_t row, size_t pid) const { return fmt::format("p{}_{}", rows_[row].ranks.front(), pid); }

    // The box of the part in which a process has an operation.
    std::string box_of(int rank, int64_t slot) const {
        const size_t row = row_of_.at(rank);
        const auto &slots = rows_[row].slots;
        return box(row, static_cast<size_t>(std::lower_bound(slots.begin(), slots.end(), slot) - slots.begin()));
    }

    void write() {
        line("digraph plan {{");
        line("    rankdir=LR; newrank=true; node [shape=box, style=filled, fillcolor=white, fontname=Helvetica]; "
             "edge [fontname=Helvetica, fontsize=10];");
        for (size_t row = 0; row < rows_.size(); ++row)
            write_row(row);
        std::map<int64_t, std::vector<std::string>> columns;
        for (size_t row = 0; row < rows_.size(); ++row)
            for (size_t pid = 0; pid < rows_[row].parts.size(); ++pid)
                columns[rows_[row].slots[pid]].push_back(box(row, pid));
        for (const auto &[slot, boxes] : columns)
            line("    {{ rank=same; {}; }}", fmt::join(boxes, "; "));
        for (int64_t at = 0; at < operations_.count(); ++at)
            write_arrow(at);
        line("}}");
    }

    void write_row(size_t row) {
        const DrawnRow &own = rows_[row];
        line("    subgraph cluster_{} {{", own.ranks.front());
        line("        label=\"{}\"; style=rounded;", ranks_text(own.ranks));
        for (size_t pid = 0; pid < own.parts.size(); ++pid) {
            const DrawnPart &part = own.parts[pid];
            std::string label = fmt::format("part {}", pid);
            for (const std::string &call : part.calls)
                label += "\\n" + quoted(call);
            std::string style;
            if (part.seconds > 0) {
                label += fmt::format("\\n{:.3g} ms", 1000 * part.seconds);
                style = fmt::format(", fillcolor=\"0.08 {:.2f} 1.0\"", 0.8 * part.seconds / slowest_);
                if (part.seconds == slowest_) {
                    label += ", the slowest";
                    style += ", penwidth=3";
                }
            }
            line("        {} [label=\"{}\"{}];", box(row, pid), label, style);
        }
        for (size_t pid = 1; pid < own.parts.size(); ++pid)
            line("        {} -> {} [style=dotted, arrowhead=none];", box(row, pid - 1), box(row, pid));
        line("    }}");
    }

    void write_arrow(int64_t at) {
        const OperationName name = operations_.name(at);
        const int64_t slot = operations_.batch(at);
        int src = name.src, dest = name.dest;
        std::string label = fmt::format("{}\\n{} bytes", quoted(name.tag), operations_.bytes(at)), style;
        if (name.is_transfer()) {
            const TransferEnds &ends = operations_.ends(at);
            src = ends.sources.front();
            dest = ends.sinks.front();
            label += fmt::format("\\n{} to {}", ranks_text(ends.sources), ranks_text(ends.sinks));
            style = ", penwidth=2";
        }
        std::string arrow =
            fmt::format("    {} -> {} [label=\"{}\"{}];", box_of(src, slot), box_of(dest, slot + 1), label, style);
        if (drawn_.insert(arrow).second)
            line("{}", arrow);
    }

    const Operations &operations_;
    std::vector<DrawnRow> rows_;
    std::map<int, size_t> row_of_;
    std::set<std::string> drawn_;
    double slowest_ = 0;
    std::string text_;
};

} // namespace

void put(Writer &out, const DrawnProcess &process) {
    out.put(process.rank).put(static_cast<int64_t>(process.parts.size()));
    for (const DrawnPart &part : process.parts) {
        out.put(part.seconds).put(static_cast<int64_t>(part.calls.size()));
        for (const std::string &call : part.calls)
            out.put(std::string_view(call));
    }
}

DrawnProcess get_drawn(Reader &in) {
    DrawnProcess process;
    process.rank = in.get<int>();
    for (auto left = in.get<int64_t>(); left > 0; --left) {
        DrawnPart &part = process.parts.emplace_back();
        part.seconds = in.get<double>();
        for (auto calls = in.get<int64_t>(); calls > 0; --calls)
            part.calls.push_back(in.get_string());
    }
    return process;
}

std::string draw_plan(const Operations &operations, const std::vector<DrawnProcess> &processes) {
    return Picture(operations, processes).take();
}

} // namespace dri::graph
