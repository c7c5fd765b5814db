// Cases of levels, tags and parts that are described by hand.
#include "support/pytato_cases.hpp"
#include "support/world.hpp"

#include <deque>

namespace dri::test {

std::string tag_text(const Json &tag) { return tag.is_string() ? tag.get<std::string>() : tag.dump(); }

DRI_Fault_kind fault_named(const std::string &name) {
    const std::map<std::string, DRI_Fault_kind> kinds{
        {"duplicate_send", DRI_FAULT_DUPLICATE_SEND},
        {"duplicate_recv", DRI_FAULT_DUPLICATE_RECV},
        {"missing_send", DRI_FAULT_MISSING_SEND},
        {"missing_recv", DRI_FAULT_MISSING_RECV},
        {"undefined_input", DRI_FAULT_UNDEFINED_INPUT},
        {"own_output", DRI_FAULT_OWN_OUTPUT},
        {"duplicate_output", DRI_FAULT_DUPLICATE_OUTPUT},
        {"mismatch", DRI_FAULT_MISMATCH},
        {"cycle", DRI_FAULT_CYCLE},
        {"partition_induced_cycle", DRI_FAULT_PARTS_CYCLE},
    };
    const auto found = kinds.find(name);
    return found == kinds.end() ? DRI_FAULT_SELF : found->second; // cases have several words for it
}

namespace {

int code_of_kind(DRI_Fault_kind kind) {
    switch (kind) {
    case DRI_FAULT_SELF: return DRI_ERR_UNSUPPORTED;
    case DRI_FAULT_DUPLICATE_SEND:
    case DRI_FAULT_DUPLICATE_RECV:
    case DRI_FAULT_DUPLICATE_OUTPUT: return DRI_ERR_DUPLICATE;
    case DRI_FAULT_MISSING_SEND:
    case DRI_FAULT_MISSING_RECV:
    case DRI_FAULT_UNDEFINED_INPUT: return DRI_ERR_UNMATCHED;
    case DRI_FAULT_MISMATCH: return DRI_ERR_MISMATCH;
    default: return DRI_ERR_CYCLE;
    }
}

} // namespace

void expect_faults(int code, const Json &expect) {
    // Some cases name several errors, of which the first is told.
    const Json &named = expect["error"];
    const DRI_Fault_kind kind = fault_named(named.is_array() ? named[0] : named);
    EXPECT_EQ(code, code_of_kind(kind)) << DRI_error_message();
    const std::vector<DRI_Fault> faults = faults_now();
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults.front().kind, kind);
    if (!expect.contains("ids"))
        return;
    std::vector<Json> found;
    for (const DRI_Fault &fault : faults)
        if (fault.kind == kind)
            found.push_back({fault.operation.src, fault.operation.dest, fault.operation.tag});
    std::vector<Json> expected;
    for (const Json &id : expect["ids"])
        expected.push_back({id[0], id[1], tag_text(id[2])});
    EXPECT_EQ(found, expected);
}

std::string check_pytato_schedule(const Json &c) {
    std::map<int64_t, Numbers> needs;
    for (const auto &[task, own] : c["input"]["needs"].items())
        needs[std::stoll(task)] = own.get<Numbers>();
    Numbers first{0}, all, level(needs.size());
    for (const auto &[task, own] : needs) {
        all.insert(all.end(), own.begin(), own.end());
        first.push_back(static_cast<int64_t>(all.size()));
    }
    int64_t n = -1;
    const int code =
        DRI_task_levels(static_cast<int64_t>(needs.size()), first.data(), all.data(), level.data(), &n);
    if (!c["expect"]["error"].is_null()) {
        EXPECT_EQ(c["expect"]["error"], "cycle");
        EXPECT_EQ(code, DRI_ERR_CYCLE);
        return "";
    }
    expect_success(code, "DRI_task_levels");
    EXPECT_EQ(n, c["expect"]["nbatches"].get<int64_t>());
    std::vector<Numbers> batches(static_cast<size_t>(n));
    for (size_t task = 0; task < level.size(); ++task)
        batches.at(static_cast<size_t>(level[task])).push_back(static_cast<int64_t>(task));
    EXPECT_EQ(batches, c["expect"]["batches"].get<std::vector<Numbers>>());
    return "";
}

// Visits are counted by the test of the module itself.
std::string check_pytato_complexity(const Json &c) {
    Numbers found;
    for (const int64_t n : c["input"]["n"].get<Numbers>()) {
        Numbers first{0}, needs, level(static_cast<size_t>(n));
        for (int64_t task = 0; task < n; ++task) {
            if (task > 0)
                needs.push_back(task - 1);
            first.push_back(static_cast<int64_t>(needs.size()));
        }
        expect_success(DRI_task_levels(n, first.data(), needs.data(), level.data(), &found.emplace_back()),
                       "DRI_task_levels");
    }
    EXPECT_EQ(found, c["expect"]["nbatches"].get<Numbers>());
    return "";
}

namespace {

// Parts of a case as structures, with the memory that these point to.
struct PartsOfCase {
    std::deque<std::string> texts;
    std::deque<std::vector<int>> numbers;
    std::deque<std::vector<DRI_Operation>> operations;
    std::deque<std::vector<const char *>> names;
    std::vector<DRI_Graph_part> parts;

    const char *keep(std::string text) { return texts.emplace_back(std::move(text)).c_str(); }

    explicit PartsOfCase(const Json &of_rank) {
        for (const Json &described : of_rank) {
            DRI_Graph_part part{};
            part.pid = described["pid"];
            const auto &needed = numbers.emplace_back(described["needed"].get<std::vector<int>>());
            part.needed = needed.data();
            part.nneeded = static_cast<int>(needed.size());
            set_operations(described["recvs"], part.recvs, part.nrecvs);
            set_operations(described["sends"], part.sends, part.nsends);
            set_names(described["partition_inputs"], part.part_inputs, part.npart_inputs);
            set_names(described["outputs"], part.outputs, part.noutputs);
            parts.push_back(part);
        }
    }

    void set_operations(const Json &list, const DRI_Operation *&at, int &n) {
        auto &made = operations.emplace_back();
        for (const Json &id : list)
            made.push_back({id[0], id[1], keep(tag_text(id[2])), DRI_Gdo{}, nullptr});
        at = made.data();
        n = static_cast<int>(made.size());
    }

    void set_names(const Json &list, const char *const *&at, int &n) {
        auto &made = names.emplace_back();
        for (const Json &name : list)
            made.push_back(keep(name));
        at = made.data();
        n = static_cast<int>(made.size());
    }
};

} // namespace

std::string check_pytato_verify(const Json &c) {
    const Json &all = c["input"]["parts"];
    const int n = static_cast<int>(all.size());
    if (const auto reason = left_out(n))
        return *reason;
    const Group group = make_group(ranks(n));
    const PartsOfCase mine(all[static_cast<size_t>(world().rank)]);
    const int code = DRI_graph_verify(group, static_cast<int>(mine.parts.size()), mine.parts.data());
    if (c["expect"]["error"].is_null()) {
        expect_success(code, "DRI_graph_verify");
        EXPECT_TRUE(faults_now().empty());
    } else {
        expect_faults(code, c["expect"]);
    }
    return "";
}

std::string check_pytato_tags(const Json &c) {
    const Json &all = c["input"]["tags_per_rank"];
    const int n = static_cast<int>(all.size());
    if (const auto reason = left_out(n))
        return *reason;
    const auto mine = all[static_cast<size_t>(world().rank)].get<std::vector<std::string>>();
    std::vector<const char *> tags;
    for (const std::string &tag : mine)
        tags.push_back(tag.c_str());
    std::vector<int> numbers(mine.size());
    int next = -1;
    expect_success(DRI_number_tags(make_group(ranks(n)), static_cast<int>(tags.size()), tags.data(),
                                   c["input"]["base"], numbers.data(), &next),
                   "DRI_number_tags");
    EXPECT_EQ(next, c["expect"]["next"].get<int>());
    for (size_t i = 0; i < mine.size(); ++i)
        EXPECT_EQ(numbers[i], c["expect"]["map"][mine[i]].get<int>()) << mine[i];
    return "";
}

} // namespace dri::test
