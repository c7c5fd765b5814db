// Environment variables of tests.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace dri::test {

// Sets a variable, or with a null pointer removes it, until the end of the block.
class Variable {
public:
    Variable(const char *name, const char *value) : name_(name) {
        if (const char *before = std::getenv(name))
            before_ = before;
        set(value);
    }
    Variable(const Variable &) = delete;
    Variable &operator=(const Variable &) = delete;
    ~Variable() { set(before_ ? before_->c_str() : nullptr); }

private:
    void set(const char *value) const {
        if (value)
            setenv(name_, value, 1);
        else
            unsetenv(name_);
    }

    const char *name_;
    std::optional<std::string> before_;
};

} // namespace dri::test
