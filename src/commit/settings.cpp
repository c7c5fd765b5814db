// Reads the environment variables of collective calls and endpoints.
#include "commit/settings.hpp"

#include "base/env.hpp"
#include "base/error.hpp"
#include "commit/attributes.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>

namespace dri::commit {

namespace {

// A number of seconds, with or without a decimal fraction, in milliseconds. Rounded up: a fraction of a
// millisecond is no zero.
std::optional<std::chrono::milliseconds> seconds_of(Setting which, int64_t min_ms) {
    constexpr int64_t max_ms = INT32_MAX;
    const auto text = setting(which);
    if (!text)
        return std::nullopt;
    double seconds = 0;
    const char *const end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, seconds, std::chars_format::fixed);
    const bool is_number = error == std::errc() && stop == end && seconds * 1000 <= double{max_ms};
    if (!is_number || seconds < 0 || std::ceil(seconds * 1000) < static_cast<double>(min_ms))
        fail(DRI_ERR_ARG, "{} is '{}', but must be a number of seconds{}, at most {}", setting_name(which), *text,
             min_ms > 0 ? " above 0" : " from 0", max_ms / 1000);
    return std::chrono::milliseconds(static_cast<int64_t>(std::ceil(seconds * 1000)));
}

// Whether a variable has the second of two words; without the variable it has the first one.
bool is_second(Setting which, const char *first, const char *second) {
    const std::string text = setting(which).value_or(first);
    if (text != first && text != second)
        fail(DRI_ERR_ARG, "{} is '{}', but must be {} or {}", setting_name(which), text, first, second);
    return text == second;
}

} // namespace

std::chrono::nanoseconds set_up_time() {
    const auto text = setting(Setting::setup_timeout);
    if (!text)
        return default_set_up_time;
    int seconds = 0;
    const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
    if (error != std::errc() || stop != text->data() + text->size() || seconds < 1)
        fail(DRI_ERR_ARG, "{} is '{}', but must be a number of seconds, at least 1",
             setting_name(Setting::setup_timeout), *text);
    return std::chrono::seconds(seconds);
}

// DRI_WAYS is a list of words separated by commas.
int64_t allowed_ways() {
    const auto text = setting(Setting::ways);
    if (!text)
        return all_ways;
    int64_t ways = 0;
    std::istringstream in(*text);
    for (std::string word; std::getline(in, word, ',');) {
        if (word != "self" && word != "direct" && word != "message")
            fail(DRI_ERR_ARG, "{} is '{}', but '{}' is not one of self, direct, message",
                 setting_name(Setting::ways), *text, word);
        ways |= word == "self" ? way_self : word == "direct" ? way_direct : way_message;
    }
    if (!(ways & way_message))
        fail(DRI_ERR_ARG, "{} is '{}', but messages cannot be switched off", setting_name(Setting::ways), *text);
    return ways;
}

bool no_bulk() { return is_second(Setting::bulk, "on", "off"); }

bool checks_calls() { return is_second(Setting::check, "0", "1"); }

std::chrono::milliseconds default_timeout() {
    return seconds_of(Setting::timeout, 0).value_or(std::chrono::milliseconds(0));
}

std::optional<std::chrono::milliseconds> report_time() { return seconds_of(Setting::report, 1); }

} // namespace dri::commit
