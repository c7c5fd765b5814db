#include "random_nodes.hpp"

#include "base/error.hpp"

namespace dri::test {

std::vector<int> make_nodes(Dice &dice, int world) {
    std::vector<int> lowest(static_cast<size_t>(dice.range(1, 3)), -1), nodes;
    for (int rank = 0; rank < world; ++rank) {
        int &node = lowest[static_cast<size_t>(dice.range(0, std::ssize(lowest) - 1))];
        node = node < 0 ? rank : node;
        nodes.push_back(node);
    }
    return nodes;
}

std::string ways_text(const TransferCase &c) {
    std::string text = std::string(c.self_way ? "" : " no-self") + (c.direct_way ? " direct" : "");
    if (!c.nodes.empty())
        text += fmt::format(" nodes={}", fmt::join(c.nodes, ","));
    return text;
}

} // namespace dri::test
