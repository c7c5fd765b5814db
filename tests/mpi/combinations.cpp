// What goes together: tries each pair of features, and compares the result with the table of the manual.
//
// After a change of the library, write the table anew with
//
//     WRITE_TABLE=1 scripts/mpirun.sh -n 3 build/release/bin/mpi_combinations
//
// and give the reason of each new refusal in its row.
#include "support/library.hpp"
#include "support/pair_features.hpp"
#include "support/pair_page.hpp"
#include "support/pair_turn.hpp"
#include "support/world.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

namespace dri::test {
namespace {

struct Refusal {
    int code;
    std::string form, message;
};

struct Pair {
    const Feature *a, *b;
    int tried = 0;
    std::vector<Refusal> refusals = {};

    std::string key() const { return fmt::format("{} + {}", a->name, b->name); }
};

bool has_a_word(const std::string &message, const Feature &feature) {
    for (const std::string &word : feature.words)
        if (message.find(word) != std::string::npos)
            return true;
    return false;
}

// The words of a message behind the call and the name of the transfer, up to an explanation.
std::string first_words(const std::string &message) {
    const std::string place = "on process 0: ";
    const size_t at = message.find(place);
    std::string words = message.substr(at == std::string::npos ? 0 : at + place.size());
    for (const std::string start : {"transfer 'pair'", ": ", " "})
        if (words.rfind(start, 0) == 0)
            words.erase(0, start.size());
    return words.substr(0, words.find(": "));
}

// All processes must have the same result, and a refusal must name both features.
void try_form(Pair &pair, int a_ends, int b_ends) {
    PairForm form;
    pair.a->add(form, a_ends);
    if (pair.b)
        pair.b->add(form, b_ends);
    const std::string what = name_at(*pair.a, a_ends) + (pair.b ? ", " + name_at(*pair.b, b_ends) : std::string());
    SCOPED_TRACE(what);
    const PairOutcome got = try_turn(form);
    ++pair.tried;
    const auto [least, most] = range_of(got.code);
    EXPECT_EQ(least, most) << "processes have different codes; here: " << got.message;
    EXPECT_EQ(got.wrong, 0) << "wrong bytes";
    if (got.code == DRI_SUCCESS)
        return;
    if (!pair.b) {
        ADD_FAILURE() << "alone: " << got.message;
        return;
    }
    for (const Feature *feature : {pair.a, pair.b})
        EXPECT_TRUE(has_a_word(got.message, *feature)) << feature->name << " is not in: " << got.message;
    if (got.call == "DRI_commit") {
        EXPECT_NE(got.message.find("'pair'"), std::string::npos) << got.message;
    }
    EXPECT_TRUE(got.code == DRI_ERR_UNSUPPORTED || got.code == DRI_ERR_MISMATCH || got.code == DRI_ERR_ARG)
        << got.call << ": " << got.message;
    pair.refusals.push_back({got.code, what, first_words(got.message)});
}

std::string letter_of(int code) {
    return code == DRI_ERR_UNSUPPORTED ? "**U**" : code == DRI_ERR_MISMATCH ? "**M**" : "**A**";
}

std::string letters_of(const Pair &pair) {
    std::set<std::string> letters;
    for (const Refusal &refusal : pair.refusals)
        letters.insert(letter_of(refusal.code));
    return fmt::format("{}", fmt::join(letters, ", "));
}

std::string cell_of(const Pair &pair, const PairPage &page) {
    const char *const yes = page.conditions().count(pair.key()) ? "yes\\*" : "yes";
    if (pair.refusals.empty())
        return yes;
    const bool always = std::ssize(pair.refusals) == pair.tried;
    return always ? letters_of(pair) : fmt::format("{}, {}", yes, letters_of(pair));
}

std::string table_of(const std::vector<Pair> &pairs, const PairPage &page) {
    std::map<std::pair<const Feature *, const Feature *>, std::string> cells;
    for (const Pair &pair : pairs)
        cells[{pair.a, pair.b}] = cells[{pair.b, pair.a}] = cell_of(pair, page);
    std::string table = "| |", rule = "|---|";
    for (const Feature &column : features()) {
        table += fmt::format(" {} |", column.name);
        rule += "---|";
    }
    table += "\n" + rule + "\n";
    for (const Feature &row : features()) {
        table += fmt::format("| [{}]({}) |", row.name, row.page);
        for (const Feature &column : features())
            table += fmt::format(" {} |", cells[{&row, &column}]);
        table += "\n";
    }
    return table;
}

std::string refusals_of(const std::vector<Pair> &pairs, const PairPage &page) {
    std::string table = "| pair | refused | message of the call | why |\n|---|---|---|---|\n";
    for (const Pair &pair : pairs) {
        if (pair.refusals.empty())
            continue;
        std::vector<std::string> forms;
        for (const Refusal &refusal : pair.refusals)
            forms.push_back(refusal.form);
        const bool always = std::ssize(forms) == pair.tried;
        table += fmt::format("| {} | {} {} | {} | {} |\n", pair.key(), letters_of(pair),
                             always ? "always" : fmt::format("{}", fmt::join(forms, "; ")),
                             pair.refusals[0].message, page.reason(pair.key()));
    }
    return table;
}

// Nothing after a failure.
std::vector<Pair> try_pairs() {
    std::vector<Pair> pairs;
    for (size_t i = 0; i < features().size(); ++i)
        for (size_t j = i + 1; j < features().size(); ++j) {
            Pair &pair = pairs.emplace_back(Pair{&features()[i], &features()[j]});
            for (const int a : forms_of(features()[i]))
                for (const int b : forms_of(features()[j]))
                    try_form(pair, a, b);
            if (sum_of(testing::Test::HasFailure() ? 1 : 0) > 0) // on all processes alike
                return {};
        }
    return pairs;
}

TEST(Combinations, EachFeatureWorksAlone) {
    for (const Feature &feature : features()) {
        Pair alone{&feature, nullptr};
        for (const int ends : forms_of(feature))
            try_form(alone, ends, 0);
    }
}

TEST(Combinations, PairsAreAsInTheManual) {
    const std::vector<Pair> pairs = try_pairs();
    if (world().rank != 0 || pairs.empty())
        return;
    const PairPage page(std::string(DRI_TESTS_FOLDER) + "/../docs/howto/combinations.md");
    const std::string block =
        fmt::format("\n{}\n## Refusals\n\n{}\n", table_of(pairs, page), refusals_of(pairs, page));
    if (std::getenv("WRITE_TABLE"))
        page.write(block);
    else
        EXPECT_EQ(page.block(), block) << "The first comment of this file says how to write the table anew.";
    std::set<std::string> known;
    for (const Pair &pair : pairs) {
        if (std::ssize(pair.refusals) < pair.tried)
            known.insert(pair.key());
        EXPECT_TRUE(pair.refusals.empty() || !page.reason(pair.key()).empty())
            << pair.key() << ": the page does not say why";
    }
    for (const std::string &pair : page.conditions())
        EXPECT_TRUE(known.count(pair)) << pair << ": the page has a condition, but no such pair goes together";
}

} // namespace
} // namespace dri::test
