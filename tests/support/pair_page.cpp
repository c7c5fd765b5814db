#include "support/pair_page.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace dri::test {
namespace {

const std::string begins = "<!-- generated: begin -->\n", ends = "<!-- generated: end -->\n";

// The cells of a row of a table; none for other lines.
std::vector<std::string> cells_of(const std::string &line) {
    std::vector<std::string> cells;
    if (line.rfind("| ", 0) != 0)
        return cells;
    std::istringstream rest(line.substr(2));
    for (std::string cell; std::getline(rest, cell, '|');) {
        const size_t first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
        cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
    }
    return cells;
}

// Calls f(cells) for each row whose first cell names a pair.
template <class F> void for_each_pair(const std::string &text, F f) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> cells = cells_of(line);
        if (!cells.empty() && cells[0].find(" + ") != std::string::npos)
            f(cells);
    }
}

} // namespace

PairPage::PairPage(std::string path) : path_(std::move(path)) {
    std::ostringstream all;
    all << std::ifstream(path_).rdbuf();
    const std::string text = all.str();
    const size_t begin = text.find(begins), end = text.find(ends);
    if (begin == std::string::npos || end == std::string::npos || end < begin)
        throw std::runtime_error(path_ + " does not have the two markers of the generated block");
    before_ = text.substr(0, begin);
    block_ = text.substr(begin + begins.size(), end - begin - begins.size());
    after_ = text.substr(end + ends.size());
    for_each_pair(block_, [&](const auto &cells) { reasons_[cells[0]] = cells.back(); });
    for_each_pair(before_ + after_, [&](const auto &cells) { conditions_.insert(cells[0]); });
}

std::string PairPage::reason(const std::string &pair) const {
    const auto found = reasons_.find(pair);
    return found == reasons_.end() ? "" : found->second;
}

void PairPage::write(const std::string &block) const {
    std::ofstream(path_) << before_ << begins << block << ends << after_;
}

} // namespace dri::test
