// The page of the manual that says what goes together: its generated block, and what is written there by hand.
#pragma once

#include <map>
#include <set>
#include <string>

namespace dri::test {

class PairPage {
public:
    explicit PairPage(std::string path); // throws std::runtime_error if it is not as expected

    const std::string &block() const { return block_; } // between the two markers
    // What stands by hand in the last cell of each refusal, by the cells before: "a + b".
    std::string reason(const std::string &pair) const;
    // The pairs that the page has a condition for, outside the block.
    const std::set<std::string> &conditions() const { return conditions_; }
    void write(const std::string &block) const;

private:
    std::string path_, before_, block_, after_;
    std::map<std::string, std::string> reasons_;
    std::set<std::string> conditions_;
};

} // namespace dri::test
