#include "plot.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace bench {

namespace {

// Pixels.
constexpr int margin = 16, label_width = 230, bar_space = 560, number_width = 90, bar_height = 14, row_height = 19;
constexpr int case_gap = 16, title_height = 20, head_height = 58;
constexpr int width = 2 * margin + label_width + bar_space + number_width;

const char *color(Contender contender) {
    switch (contender) {
    case Contender::dri: return "#0b6e4f";
    case Contender::dri_pitched: return "#4fa58a";
    case Contender::dri_malloc: return "#8fc4b2";
    case Contender::limit: return "#333333";
    case Contender::memcpy: return "#8a8a8a";
    case Contender::hand: return "#c77d2e";
    case Contender::peer: return "#7d9bc1";
    }
    return "";
}

std::string escaped(const std::string &text) {
    std::string out;
    for (const char c : text)
        out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    return out;
}

class Svg {
public:
    void text(int x, int y, const std::string &words, const char *style = "") {
        body_ += "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" " + style + ">" +
                 escaped(words) + "</text>\n";
    }
    void bar(int x, int y, int length, const char *fill) {
        body_ += "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
                 std::to_string(length) + "\" height=\"" + std::to_string(bar_height) + "\" fill=\"" + fill +
                 "\"/>\n";
    }
    void line(int x, int y, int to) {
        body_ += "<path d=\"M" + std::to_string(x) + " " + std::to_string(y) + "V" + std::to_string(to) +
                 "\" stroke=\"#333333\" stroke-dasharray=\"3 3\"/>\n";
    }
    std::string whole(int height) const {
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) + "\" height=\"" +
               std::to_string(height) +
               "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
               "fill=\"white\"/>\n" +
               body_ + "</svg>\n";
    }

private:
    std::string body_;
};

double greatest_ratio(const std::vector<CaseResult> &results) {
    double greatest = 1;
    for (const CaseResult &result : results)
        for (const RowResult &row : result.rows)
            greatest = std::max(greatest, row.of_limit().value_or(0));
    return greatest;
}

} // namespace

void write_plot(const std::string &file, const Machine &machine, int processes,
                const std::vector<CaseResult> &results) {
    Svg svg;
    svg.text(margin, margin + 12,
             "Speed as a fraction of the limit (each process copies its own part past the cache)",
             "font-size=\"15\" font-weight=\"bold\"");
    svg.text(margin, margin + 32, machine.cpu + ", " + std::to_string(processes) + " processes, " + machine.mpi);
    const double scale = bar_space / greatest_ratio(results);
    const int left = margin + label_width, one = left + static_cast<int>(scale);
    int y = head_height;
    for (const CaseResult &result : results) {
        if (std::none_of(result.rows.begin(), result.rows.end(),
                         [](const RowResult &row) { return row.of_limit().has_value(); }))
            continue;
        y += case_gap;
        svg.text(margin, y, result.line, "font-weight=\"bold\"");
        const int top = y + 4;
        y += title_height - row_height + 4;
        for (const RowResult &row : result.rows) {
            if (!row.of_limit())
                continue;
            const double ratio = *row.of_limit();
            svg.text(margin, y + bar_height - 3, row.name);
            svg.bar(left, y, std::max(1, static_cast<int>(ratio * scale)), color(row.contender));
            char number[48];
            std::snprintf(number, sizeof number, "%.2f, %.3g ms", ratio, row.median_ms());
            svg.text(left + static_cast<int>(ratio * scale) + 5, y + bar_height - 3, number);
            y += row_height;
        }
        svg.line(one, top, y);
    }
    std::ofstream out(file);
    out << svg.whole(y + margin);
    if (!out.flush())
        throw std::runtime_error("cannot write " + file);
}

} // namespace bench
