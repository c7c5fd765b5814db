#include "model/partition.hpp"

#include "model_refusal.hpp"

namespace dri::test {

namespace {

model::CutRule block(int64_t nparts = 0) {
    model::CutRule rule;
    rule.kind = model::CutKind::block;
    rule.nparts = nparts;
    return rule;
}

model::CutRule cyclic(int64_t nparts, int64_t of) {
    model::CutRule rule;
    rule.kind = model::CutKind::block_cyclic;
    rule.nparts = nparts;
    rule.block = of;
    return rule;
}

// A rule with one number per part.
template <class T>
model::CutRule numbered(model::CutKind kind, std::vector<T> model::CutRule::*numbers, std::vector<T> of) {
    model::CutRule rule;
    rule.kind = kind;
    rule.nparts = std::ssize(of);
    rule.*numbers = std::move(of);
    return rule;
}

model::CutRule sizes(std::vector<int64_t> of) {
    return numbered(model::CutKind::sizes, &model::CutRule::sizes, std::move(of));
}
model::CutRule weights(std::vector<double> of) {
    return numbered(model::CutKind::weights, &model::CutRule::weights, std::move(of));
}

template <class F> model::CutRule with(model::CutRule rule, F change) {
    change(rule);
    return rule;
}

void expect_wrong(const model::CutRule &rule, std::initializer_list<const char *> words) {
    expect_refusal(DRI_ERR_ARG, words, [&] { model::check_rule(rule, 5); });
}

} // namespace

TEST(CutRule, legal_ones_pass) {
    for (const model::CutRule &rule :
         {model::CutRule{}, block(), block(4), cyclic(0, 1), cyclic(3, 100), sizes({0, 3, 4}),
          weights({0, 1e308, 1e308}), with(model::CutRule{}, [](model::CutRule &r) { r.nparts = 1; }),
          with(block(), [](model::CutRule &r) { r.min = r.max = 16; }),
          with(block(), [](model::CutRule &r) { r.remainder = model::Remainder::proportional; })})
        EXPECT_NO_THROW(model::check_rule(rule, 0)) << model::to_text(rule, rule.nparts);
}

TEST(CutRule, wrong_fields_are_named_with_dimension_and_value) {
    expect_wrong(block(-1), {"dimension 5", "nparts", "-1"});
    expect_wrong(weights({0, 0}), {"dimension 5", "all 2 weights are 0"});
    expect_wrong(with(block(), [](model::CutRule &r) { r.min = -2; }), {"dimension 5", "min", "-2"});
    expect_wrong(with(block(), [](model::CutRule &r) { r.max = -3; }), {"dimension 5", "max", "-3"});
    expect_wrong(with(block(), [](model::CutRule &r) { r.multiple = -4; }), {"dimension 5", "multiple", "-4"});
    expect_wrong(with(block(), [](model::CutRule &r) { r.min = 7, r.max = 6; }),
                 {"dimension 5", "max is 6", "min, 7"});
    expect_wrong(with(cyclic(2, 2), [](model::CutRule &r) { r.remainder = model::Remainder::ceil; }),
                 {"dimension 5", "remainder"});
    expect_wrong(cyclic(2, 0), {"dimension 5", "block", "0"});
    expect_wrong(cyclic(2, -1), {"dimension 5", "block", "-1"});
    expect_wrong(with(block(), [](model::CutRule &r) { r.block = 3; }), {"dimension 5", "block", "3"});
    expect_wrong(with(model::CutRule{}, [](model::CutRule &r) { r.nparts = 2; }),
                 {"dimension 5", "DRI_WHOLE", "2"});
    expect_wrong(sizes({}), {"dimension 5", "DRI_SIZES", "nparts"});
    expect_wrong(sizes({3, -1}), {"dimension 5", "size", "-1"});
    expect_refusal(DRI_ERR_OVERFLOW, {"dimension 3", "sizes[2]"}, [] {
        model::check_rule(sizes({1, INT64_MAX - 1, 1, 7}), 3);
    });
}

TEST(CutRule, the_wire_keeps_all) {
    model::CutRule rule = sizes({3, 4, 5});
    rule.min = 1, rule.max = 9, rule.multiple = 2;
    for (const model::CutRule &r :
         {rule, cyclic(3, 7), with(block(4), [](model::CutRule &b) { b.remainder = model::Remainder::ceil; })}) {
        Writer out;
        model::put(out, r);
        const Bytes bytes = out.take();
        Reader in(bytes);
        EXPECT_EQ(model::get_cut_rule(in), r);
        EXPECT_TRUE(in.done());
    }
}

TEST(CutRule, text) {
    EXPECT_EQ(model::to_text(model::CutRule{}, 1), "*");
    EXPECT_EQ(model::to_text(block(), 4), "block(4)");
    EXPECT_EQ(model::to_text(with(block(), [](model::CutRule &r) { r.remainder = model::Remainder::ceil; }), 4),
              "block(4,ceil)");
    EXPECT_EQ(model::to_text(cyclic(4, 32), 4), "cyclic(4,32)");
    EXPECT_EQ(model::to_text(sizes({3, 4, 5}), 3), "sizes(3:4:5)");
    EXPECT_EQ(model::to_text(with(block(), [](model::CutRule &r) { r.min = 3, r.multiple = 2; }), 4),
              "block(4,min=3,multiple=2)");
}

TEST(Partition, turns) {
    const model::Partition partition{block(4), model::CutRule{}, cyclic(2, 3)};
    const std::vector<int> perm{2, 0, 1};
    EXPECT_EQ(model::turn(partition, perm), (model::Partition{cyclic(2, 3), block(4), model::CutRule{}}));
    EXPECT_EQ(model::turn({}, {}), model::Partition{});
    for (const std::vector<int> &wrong : {std::vector<int>{0, 0, 1}, {0, 1, 3}, {-1, 1, 2}})
        expect_refusal(DRI_ERR_ARG, {"perm", "3 dimensions"}, [&] { model::turn(partition, wrong); });
}

} // namespace dri::test
