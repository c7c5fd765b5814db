// The calls of graph_plan.h that need no graph.
#include "graph/exchange.hpp"
#include "graph/levels.hpp"
#include "graph/part_texts.hpp"
#include "graph/tags.hpp"
#include "outer/calls.hpp"

#include <dri/env.h>

#include <algorithm>
#include <limits>
#include <set>

namespace dri::graph {

namespace {

void check_lists(int64_t n, const int64_t first[], const int64_t needs[], const int64_t level[]) {
    if (n < 0)
        fail(DRI_ERR_ARG, "n is {}, but must be at least 0", n);
    outer::require_pointer(first, "first");
    if (first[0] != 0)
        fail(DRI_ERR_ARG, "first[0] is {}, but must be 0", first[0]);
    for (int64_t i = 0; i < n; ++i)
        if (first[i + 1] < first[i])
            fail(DRI_ERR_ARG, "first[{}] is {}, but first[{}] is {}", i + 1, first[i + 1], i, first[i]);
    if (n > 0)
        outer::require_pointer(level, "level");
    if (first[n] > 0)
        outer::require_pointer(needs, "needs");
    for (int64_t i = 0; i < first[n]; ++i)
        if (needs[i] < 0 || needs[i] >= n)
            fail(DRI_ERR_ARG, "needs[{}] is {}, but must be 0 to {}", i, needs[i], n - 1);
}

// The array of a part with its length. Fails with DRI_ERR_ARG.
template <class T> std::span<const T> list_of(const T *list, int n, const char *name) {
    if (n < 0)
        fail(DRI_ERR_ARG, "the number of {} is {}, but must be at least 0", name, n);
    if (n > 0)
        outer::require_pointer(list, name);
    return {list, static_cast<size_t>(n)};
}

// What one process gives to DRI_graph_verify, checked.
class GivenParts {
public:
    explicit GivenParts(const outer::Partners &scope) : scope_(scope) {
        outer::require(DRI_world_rank(&described_.rank));
    }

    DescribedParts take(std::span<const DRI_Graph_part> parts) {
        std::set<int> pids;
        for (const DRI_Graph_part &part : parts) {
            if (!pids.insert(part.pid).second)
                fail(DRI_ERR_ARG, "two parts have pid {}", part.pid);
            described_.parts.push_back(described(part));
        }
        return std::move(described_);
    }

private:
    DescribedPart described(const DRI_Graph_part &part) const {
        DescribedPart out;
        out.pid = part.pid;
        const auto needed = list_of(part.needed, part.nneeded, "needed");
        out.needed.assign(needed.begin(), needed.end());
        for (const DRI_Operation &operation : list_of(part.recvs, part.nrecvs, "recvs"))
            out.recvs.push_back(end(operation, operation.dest, "receives"));
        for (const DRI_Operation &operation : list_of(part.sends, part.nsends, "sends"))
            out.sends.push_back(end(operation, operation.src, "sends"));
        for (const char *name : list_of(part.inputs, part.ninputs, "inputs"))
            checked_name(name, "a name in inputs");
        for (const char *name : list_of(part.part_inputs, part.npart_inputs, "part_inputs"))
            out.reads.push_back(checked_name(name, "a name in part_inputs"));
        for (const char *name : list_of(part.outputs, part.noutputs, "outputs"))
            out.outputs.push_back(checked_name(name, "a name in outputs"));
        return out;
    }

    DescribedEnd end(const DRI_Operation &operation, int own, const char *does) const {
        DescribedEnd out;
        out.operation = {operation.src, operation.dest, checked_name(operation.tag, "a tag")};
        if (operation.src != -1 || operation.dest != -1) {
            if (own != described_.rank)
                fail(DRI_ERR_ARG, "process {} {} {}", described_.rank, does, out.operation.text());
            for (const int rank : {operation.src, operation.dest})
                if (std::find(scope_.ranks.begin(), scope_.ranks.end(), rank) == scope_.ranks.end())
                    fail(DRI_ERR_ARG, "{} has process {}, which is not in the group", out.operation.text(), rank);
        }
        if (operation.name)
            out.name = checked_name(operation.name, "the name of a node");
        if (operation.shape.id) {
            out.has_shape = true;
            out.shape = shape_of(operation.shape);
        }
        return out;
    }

    const outer::Partners &scope_;
    DescribedParts described_;
};

// What one process gives to DRI_number_tags, checked.
Bytes checked_tags(int n, const char *const tags[], int base, const int numbers[]) {
    Writer out;
    out.put(base);
    const auto given = list_of(tags, n, "tags");
    if (n > 0)
        outer::require_pointer(numbers, "numbers");
    out.put(int64_t{n});
    for (const char *tag : given)
        out.put(std::string_view(checked_name(tag, "a tag")));
    return out.take();
}

TagNumbers number_all(const std::vector<Bytes> &brought, const std::vector<int> &ranks, int base) {
    TagNumbers found;
    for (size_t q = 0; q < brought.size(); ++q) {
        Reader in(brought[q]);
        if (const int theirs = in.get<int>(); theirs != base)
            fail(DRI_ERR_MISMATCH, "base is {} on process {}, but {} on process {}",
                 Reader(brought.front()).get<int>(), ranks.front(), theirs, ranks[q]);
        for (auto left = in.get<int64_t>(); left > 0; --left)
            found.number(in.get_string());
    }
    if (found.count() > std::numeric_limits<int>::max() - int64_t{base})
        fail(DRI_ERR_OVERFLOW, "{} tags from {} do not fit into an int", found.count(), base);
    return found;
}

} // namespace

} // namespace dri::graph

extern "C" {

int DRI_task_levels(int64_t n, const int64_t first[], const int64_t needs[], int64_t level[], int64_t *nlevels) {
    return dri::outer::run("DRI_task_levels", [&] {
        dri::outer::require_pointer(nlevels, "nlevels");
        *nlevels = 0;
        dri::graph::check_lists(n, first, needs, level);
        const dri::graph::TaskNeeds tasks{n, first, needs};
        const dri::graph::LevelsFound found = dri::graph::find_levels(tasks, level);
        if (found.done < n) {
            const auto in_cycles = dri::graph::tasks_in_cycles(tasks);
            dri::fail(DRI_ERR_CYCLE, "task {} needs itself; so do {} tasks in all", in_cycles.front(),
                      in_cycles.size());
        }
        *nlevels = found.levels;
    });
}

int DRI_number_tags(DRI_Group group, int n, const char *const tags[], int base, int numbers[], int *next) {
    return dri::outer::run("DRI_number_tags", [&] {
        const auto scope = dri::graph::partners_of(group);
        const auto brought =
            dri::graph::exchange(scope, [&] { return dri::graph::checked_tags(n, tags, base, numbers); });
        const int common = dri::Reader(brought.front()).get<int>();
        dri::graph::TagNumbers found = dri::graph::number_all(brought, scope.ranks, common);
        for (int i = 0; i < n; ++i)
            numbers[i] = static_cast<int>(base + found.number(tags[i]));
        if (next)
            *next = static_cast<int>(base + found.count());
    });
}

int DRI_graph_verify(DRI_Group group, int nparts, const DRI_Graph_part parts[]) {
    return dri::outer::run("DRI_graph_verify", [&] {
        dri::graph::forget_faults();
        const auto scope = dri::graph::partners_of(group);
        const auto brought = dri::graph::exchange(scope, [&] {
            dri::Writer out;
            dri::graph::GivenParts given(scope);
            put(out, given.take(dri::graph::list_of(parts, nparts, "parts")));
            return out.take();
        });
        std::vector<dri::graph::DescribedParts> all;
        for (const dri::Bytes &one : brought) {
            dri::Reader in(one);
            all.push_back(dri::graph::get_parts(in));
        }
        dri::graph::require_faultless(dri::graph::faults_of(all));
    });
}
}
