#include "goals.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <initializer_list>
#include <stdexcept>

namespace bench {

namespace {

struct Word {
    const char *name;
    Goal::Measure measure;
    const char *meaning;
};

constexpr Word words[] = {
    {"limit", Goal::Measure::limit, "of the limit"},
    {"pitch", Goal::Measure::pitch, "of the limit, pitch of the library's choice"},
    {"malloc", Goal::Measure::malloc, "of the limit, buffers from malloc"},
    {"alloc", Goal::Measure::alloc, "of the library's own buffers, in memory of DRI_alloc"},
    {"memcpy", Goal::Measure::memcpy, "of memcpy plus 1 us"},
    {"hand", Goal::Measure::hand, "times the best by hand"},
    {"peers", Goal::Measure::peers, "times the best other program"},
};

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

double parse_ratio(std::string_view text, std::string_view goal) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || value > 1e6)
        throw std::invalid_argument("goal \"" + std::string(goal) + "\": \"" + std::string(text) +
                                    "\" is not a ratio above 0");
    return value;
}

Goal parse_goal(std::string_view text) {
    const auto space = text.find_first_of(" \t");
    const auto word = std::find_if(std::begin(words), std::end(words),
                                   [&](const Word &w) { return text.substr(0, space) == w.name; });
    if (word == std::end(words) || space == std::string_view::npos)
        throw std::invalid_argument(
            "goal \"" + std::string(text) +
            "\": expected limit, pitch, malloc, alloc, memcpy, hand or peers, then a ratio");
    const std::string_view numbers = trimmed(text.substr(space));
    const auto slash = numbers.find('/');
    const double near = parse_ratio(trimmed(numbers.substr(0, slash)), text);
    const double far =
        slash == std::string_view::npos ? near : parse_ratio(trimmed(numbers.substr(slash + 1)), text);
    return {word->measure, near, far};
}

// The library's row that decides the goal.
Contender measured(const Goal &goal) {
    switch (goal.measure) {
    case Goal::Measure::pitch: return Contender::dri_pitched;
    case Goal::Measure::malloc: return Contender::dri_malloc;
    case Goal::Measure::alloc: return Contender::dri_alloc;
    default: return Contender::dri;
    }
}

// Fraction of the limit that the contender's row reaches. Empty if that row or the limit was not run.
std::optional<double> of_limit(const std::vector<RowResult> &rows, Contender contender) {
    for (const RowResult &row : rows)
        if (row.contender == contender)
            return row.of_limit();
    return std::nullopt;
}

// Smallest speed-up of the library over the given contenders, hence that over the fastest of them.
std::optional<double> min_gain(const std::vector<RowResult> &rows, std::initializer_list<Contender> of) {
    std::optional<double> min;
    for (const RowResult &row : rows)
        if (std::find(of.begin(), of.end(), row.contender) != of.end())
            if (const auto gain = row.dri_gain())
                min = std::min(min.value_or(*gain), *gain);
    return min;
}

// The goal allows the library memcpy's time divided by `part`, plus 1 us. The result equals `part` if the library
// needs exactly that time.
std::optional<double> of_memcpy(const std::vector<RowResult> &rows, double part) {
    constexpr double microsecond_ms = 1e-3;
    for (const RowResult &row : rows) {
        if (row.contender != Contender::memcpy || !row.has_times() || row.dri_ms.empty())
            continue;
        std::vector<double> ratios;
        for (size_t i = 0; i < row.times_ms.size(); ++i)
            ratios.push_back((row.times_ms[i] + part * microsecond_ms) / row.dri_ms[i]);
        return median(std::move(ratios));
    }
    return std::nullopt;
}

} // namespace

bool is_about(const Goal &goal, Contender contender) { return measured(goal) == contender; }

std::vector<Goal> parse_goals(std::string_view text) {
    std::vector<Goal> goals;
    for (text = trimmed(text); !text.empty();) {
        const auto comma = text.find(',');
        goals.push_back(parse_goal(trimmed(text.substr(0, comma))));
        text = comma == std::string_view::npos ? "" : trimmed(text.substr(comma + 1));
    }
    return goals;
}

Judgement judge(const Goal &goal, const std::vector<RowResult> &rows, bool near) {
    Judgement judgement;
    judgement.wanted = near ? goal.near : goal.far;
    const auto &word = *std::find_if(std::begin(words), std::end(words),
                                     [&](const Word &w) { return w.measure == goal.measure; });
    char number[32];
    std::snprintf(number, sizeof number, "%.2f ", judgement.wanted);
    judgement.text = std::string(number) + word.meaning;
    switch (goal.measure) {
    case Goal::Measure::limit:
    case Goal::Measure::pitch:
    case Goal::Measure::malloc: judgement.reached = of_limit(rows, measured(goal)); break;
    case Goal::Measure::memcpy: judgement.reached = of_memcpy(rows, judgement.wanted); break;
    case Goal::Measure::alloc:
        if (const auto gain = min_gain(rows, {Contender::dri_alloc}))
            judgement.reached = 1 / *gain;
        break;
    case Goal::Measure::hand: judgement.reached = min_gain(rows, {Contender::hand}); break;
    case Goal::Measure::peers: judgement.reached = min_gain(rows, {Contender::hand, Contender::peer}); break;
    }
    return judgement;
}

} // namespace bench
