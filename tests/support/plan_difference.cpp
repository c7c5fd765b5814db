// Compares plans member by member.
#include "support/plan_difference.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace dri::test {

namespace {

std::string difference(const std::vector<plan::Pull> &a, const std::vector<plan::Pull> &b) {
    if (a.size() != b.size())
        return fmt::format("{} pulls instead of {}", b.size(), a.size());
    for (size_t i = 0; i < a.size(); ++i)
        if (a[i].peer != b[i].peer || a[i].copies != b[i].copies)
            return fmt::format("number {} of the pulls", i);
    return {};
}

std::string difference(const std::vector<plan::Message> &a, const std::vector<plan::Message> &b,
                       const char *what) {
    if (a.size() != b.size())
        return fmt::format("{} {} instead of {}", b.size(), what, a.size());
    for (size_t i = 0; i < a.size(); ++i)
        if (a[i].peer != b[i].peer || a[i].bytes != b[i].bytes || a[i].round != b[i].round ||
            a[i].copies != b[i].copies)
            return fmt::format("number {} of the {}", i, what);
    return {};
}

bool equal(const plan::Plan::Strip &a, const plan::Plan::Strip &b) {
    return a.self == b.self && a.sends == b.sends && a.receives == b.receives && a.taken == b.taken;
}

bool equal(const plan::PieceLoop &a, const plan::PieceLoop &b) {
    return a.count == b.count && a.stride == b.stride;
}

bool equal(const plan::Piece &a, const plan::Piece &b) {
    return a.offset == b.offset && a.first == b.first && a.run_bytes == b.run_bytes &&
           std::equal(a.loops.begin(), a.loops.end(), b.loops.begin(), b.loops.end(),
                      [](const auto &x, const auto &y) { return equal(x, y); });
}

template <class T> bool equal(const std::vector<T> &a, const std::vector<T> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T &x, const T &y) { return equal(x, y); });
}

std::string difference(const std::optional<plan::InPlaceOrder> &a, const std::optional<plan::InPlaceOrder> &b) {
    if (a.has_value() != b.has_value())
        return "in place";
    if (!a)
        return {};
    if (a->packed_before != b->packed_before || a->sends_at_once != b->sends_at_once)
        return "order in place";
    return equal(a->before, b->before) && equal(a->after, b->after) ? "" : "pieces in place";
}

} // namespace

std::string find_difference(const plan::Plan &a, const plan::Plan &b) {
    if (a.rank != b.rank)
        return "rank";
    if (a.self != b.self)
        return "self";
    if (a.pullers != b.pullers)
        return "pullers";
    if (std::string pulls = difference(a.pulls, b.pulls); !pulls.empty())
        return pulls;
    if (a.zeros != b.zeros)
        return "zeros";
    if (!equal(a.strips, b.strips))
        return "strips";
    if (a.note_bytes != b.note_bytes)
        return "notes";
    for (const std::string &found :
         {difference(a.sends, b.sends, "sends"), difference(a.receives, b.receives, "receives"),
          difference(a.in_place, b.in_place)})
        if (!found.empty())
            return found;
    return {};
}

} // namespace dri::test
