// Text for messages and logs, which may contain names and settings of the user.
#pragma once

#include <string>
#include <string_view>

namespace dri::inline base {

// The text with each control character, and each byte that is no valid UTF-8, written as \xNN. A printable text
// stays as it is.
std::string printable(std::string_view text);
// The same for a text of several lines: ends of lines and tabs stay as they are.
std::string printable_lines(std::string_view text);

} // namespace dri::inline base
