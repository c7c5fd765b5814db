// Numbers for tags, in the order in which they first appear.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dri::graph {

class TagNumbers {
public:
    // The number of a tag, from 0, which a new tag gets here.
    int64_t number(const std::string &tag) {
        return numbers_.try_emplace(tag, static_cast<int64_t>(numbers_.size())).first->second;
    }
    int64_t count() const { return static_cast<int64_t>(numbers_.size()); }

private:
    std::map<std::string, int64_t> numbers_;
};

// Fails with DRI_ERR_ARG unless the text is there and has 1 to DRI_MAX_NAME bytes. what: names it in the message.
std::string checked_name(const char *text, const char *what);

} // namespace dri::graph
