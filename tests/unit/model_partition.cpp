#include "model/partition.hpp"

#include "model_refusal.hpp"

namespace dri::test {

namespace {

CutRule block(int64_t nparts = 0) {
    CutRule rule;
    rule.kind = CutKind::block;
    rule.nparts = nparts;
    return rule;
}

CutRule cyclic(int64_t nparts, int64_t of) {
    CutRule rule;
    rule.kind = CutKind::block_cyclic;
    rule.nparts = nparts;
    rule.block = of;
    return rule;
}

// A rule with one number per part.
template <class T> CutRule numbered(CutKind kind, std::vector<T> CutRule::*numbers, std::vector<T> of) {
    CutRule rule;
    rule.kind = kind;
    rule.nparts = std::ssize(of);
    rule.*numbers = std::move(of);
    return rule;
}

CutRule sizes(std::vector<int64_t> of) { return numbered(CutKind::sizes, &CutRule::sizes, std::move(of)); }
CutRule weights(std::vector<double> of) { return numbered(CutKind::weights, &CutRule::weights, std::move(of)); }

template <class F> CutRule with(CutRule rule, F change) {
    change(rule);
    return rule;
}

void expect_wrong(const CutRule &rule, std::initializer_list<const char *> words) {
    expect_refusal(DRI_ERR_ARG, words, [&] { check_rule(rule, 5); });
}

} // namespace

TEST(CutRule, legal_ones_pass) {
    for (const CutRule &rule :
         {CutRule{}, block(), block(4), cyclic(0, 1), cyclic(3, 100), sizes({0, 3, 4}), weights({0, 1e308, 1e308}),
          with(CutRule{}, [](CutRule &r) { r.nparts = 1; }), with(block(), [](CutRule &r) { r.min = r.max = 16; }),
          with(block(), [](CutRule &r) { r.remainder = Remainder::proportional; })})
        EXPECT_NO_THROW(check_rule(rule, 0)) << to_text(rule, rule.nparts);
}

TEST(CutRule, wrong_fields_are_named_with_dimension_and_value) {
    expect_wrong(block(-1), {"dimension 5", "nparts", "-1"});
    expect_wrong(weights({0, 0}), {"dimension 5", "all 2 weights are 0"});
    expect_wrong(with(block(), [](CutRule &r) { r.min = -2; }), {"dimension 5", "min", "-2"});
    expect_wrong(with(block(), [](CutRule &r) { r.max = -3; }), {"dimension 5", "max", "-3"});
    expect_wrong(with(block(), [](CutRule &r) { r.multiple = -4; }), {"dimension 5", "multiple", "-4"});
    expect_wrong(with(block(), [](CutRule &r) { r.min = 7, r.max = 6; }), {"dimension 5", "max is 6", "min, 7"});
    expect_wrong(with(cyclic(2, 2), [](CutRule &r) { r.remainder = Remainder::ceil; }),
                 {"dimension 5", "remainder"});
    expect_wrong(cyclic(2, 0), {"dimension 5", "block", "0"});
    expect_wrong(cyclic(2, -1), {"dimension 5", "block", "-1"});
    expect_wrong(with(block(), [](CutRule &r) { r.block = 3; }), {"dimension 5", "block", "3"});
    expect_wrong(with(CutRule{}, [](CutRule &r) { r.nparts = 2; }), {"dimension 5", "DRI_WHOLE", "2"});
    expect_wrong(sizes({}), {"dimension 5", "DRI_SIZES", "nparts"});
    expect_wrong(sizes({3, -1}), {"dimension 5", "size", "-1"});
    expect_refusal(DRI_ERR_OVERFLOW, {"dimension 3", "sizes[2]"}, [] {
        check_rule(sizes({1, INT64_MAX - 1, 1, 7}), 3);
    });
}

TEST(CutRule, the_wire_keeps_all) {
    CutRule rule = sizes({3, 4, 5});
    rule.min = 1, rule.max = 9, rule.multiple = 2;
    for (const CutRule &r :
         {rule, cyclic(3, 7), with(block(4), [](CutRule &b) { b.remainder = Remainder::ceil; })}) {
        Writer out;
        put(out, r);
        const Bytes bytes = out.take();
        Reader in(bytes);
        EXPECT_EQ(get_cut_rule(in), r);
        EXPECT_TRUE(in.done());
    }
}

TEST(CutRule, text) {
    EXPECT_EQ(to_text(CutRule{}, 1), "*");
    EXPECT_EQ(to_text(block(), 4), "block(4)");
    EXPECT_EQ(to_text(with(block(), [](CutRule &r) { r.remainder = Remainder::ceil; }), 4), "block(4,ceil)");
    EXPECT_EQ(to_text(cyclic(4, 32), 4), "cyclic(4,32)");
    EXPECT_EQ(to_text(sizes({3, 4, 5}), 3), "sizes(3:4:5)");
    EXPECT_EQ(to_text(with(block(), [](CutRule &r) { r.min = 3, r.multiple = 2; }), 4),
              "block(4,min=3,multiple=2)");
}

TEST(Partition, turns) {
    const Partition partition{block(4), CutRule{}, cyclic(2, 3)};
    const std::vector<int> perm{2, 0, 1};
    EXPECT_EQ(turn(partition, perm), (Partition{cyclic(2, 3), block(4), CutRule{}}));
    EXPECT_EQ(turn({}, {}), Partition{});
    for (const std::vector<int> &wrong : {std::vector<int>{0, 0, 1}, {0, 1, 3}, {-1, 1, 2}})
        expect_refusal(DRI_ERR_ARG, {"perm", "3 dimensions"}, [&] { turn(partition, wrong); });
}

} // namespace dri::test
