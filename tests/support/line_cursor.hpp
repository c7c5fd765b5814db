// A position in a line of text, for parsers. A text that is not as expected is refused with its column.
#pragma once

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dri::test {

class LineCursor {
public:
    explicit LineCursor(std::string_view line) : line_(line) {}

    // Throws std::invalid_argument.
    [[noreturn]] void wrong(const std::string &expected) const {
        throw std::invalid_argument("case line \"" + std::string(line_) + "\": expected " + expected +
                                    " at column " + std::to_string(at_ + 1) + ", found " +
                                    (at_ < line_.size() ? "\"" + std::string(line_.substr(at_, 12)) + "\""
                                                        : std::string("the end of the line")));
    }

    void skip_spaces() { at_ = std::min(line_.find_first_not_of(" \t", at_), line_.size()); }

    bool next_is(std::string_view any_of) const {
        return at_ < line_.size() && any_of.find(line_[at_]) != std::string_view::npos;
    }

    bool accept(std::string_view token) {
        if (!line_.substr(at_).starts_with(token))
            return false;
        at_ += token.size();
        return true;
    }

    void expect(std::string_view token) {
        if (!accept(token))
            wrong("\"" + std::string(token) + "\"");
    }

    std::string text_until(std::string_view any_of) {
        const size_t end = std::min(line_.find_first_of(any_of, at_), line_.size()), begin = at_;
        at_ = end;
        return std::string(line_.substr(begin, end - begin));
    }

    template <class T> T number(T min, const std::string &what) {
        T value = 0;
        const char *begin = line_.data() + at_;
        const auto [end, error] = std::from_chars(begin, line_.data() + line_.size(), value);
        if (error != std::errc() || value < min)
            wrong(what);
        at_ += static_cast<size_t>(end - begin);
        return value;
    }

    template <class T> std::vector<T> numbers(T min, const std::string &what, std::string_view separator) {
        std::vector<T> values;
        do
            values.push_back(number(min, what));
        while (accept(separator));
        return values;
    }

    bool at_end() const { return at_ == line_.size(); }

private:
    std::string_view line_;
    size_t at_ = 0;
};

} // namespace dri::test
