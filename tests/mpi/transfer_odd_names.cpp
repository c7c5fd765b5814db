// Names of transfers with bytes that do not print. They work like other names; messages and texts show them
// escaped.
#include "support/objects.hpp"
#include "support/world.hpp"

#include <string>

namespace dri::test {
namespace {

TEST(OddNames, WorkAndAreShownEscaped) {
    const Group all = make_world();
    const Dist rows = make_dist(make_gdo({9, 7}), make_blocks(2, 0), all),
               columns = make_dist(make_gdo({9, 7}), make_blocks(2, 1), all);
    for (const auto &[name, shown] : {std::pair<std::string, std::string>{"a\x1B[2J\nb", "a\\x1B[2J\\x0Ab"},
                                      {"\xFF\xFE", "\\xFF\\xFE"},
                                      {"\u00fcber", "\u00fcber"}}) {
        const Xfer source = make_xfer(name, DRI_SOURCE, rows);
        EXPECT_EQ(DRI_commit(all), DRI_ERR_UNMATCHED);
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find("'" + shown + "'"), std::string::npos) << message;
        const Xfer sink = make_xfer(name, DRI_SINK, columns);
        commit(all);
        EXPECT_EQ(DRI_do(name.c_str(), DRI_XFER_NULL), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(explain(sink).rfind("transfer '" + shown + "', sink", 0), 0u) << explain(sink);
        EXPECT_EQ(DRI_do((name + "\x02").c_str(), DRI_XFER_NULL), DRI_ERR_ARG);
        const std::string unknown = DRI_error_message();
        EXPECT_NE(unknown.find(shown + "\\x02'"), std::string::npos) << unknown;
    }
}

} // namespace
} // namespace dri::test
