// Reads the environment variables of collective calls and endpoints.
#include "commit/settings.hpp"

#include "base/env.hpp"
#include "base/error.hpp"
#include "commit/attributes.hpp"

#include <charconv>
#include <sstream>
#include <string>

namespace dri::commit {

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

} // namespace dri::commit
