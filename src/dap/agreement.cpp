// Exchanges descriptions as bytes: first the dimensions, then lists if some are needed.
#include "dap/agreement.hpp"

#include "base/checked.hpp"
#include "dap/faults.hpp"
#include "outer/calls.hpp"

#include <dri/dist.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

namespace dri::dap {

namespace {

// Faults travel with the number of their key here.
constexpr std::array<const char *, 16> fault_keys{
    "",      "__version__", "buffer",  "dim_data", "dist_type",  "size",    "proc_grid_size", "proc_grid_rank",
    "start", "stop",        "padding", "periodic", "block_size", "indices", "one_to_one"};
constexpr int64_t most_bytes_of_a_member = 2048, most_bytes_of_an_objection = 512;

void put(Writer &out, const Objection &objection) {
    const DRI_Dap_fault &f = objection.fault;
    const auto key = std::find(fault_keys.begin(), fault_keys.end(), std::string_view(f.key));
    out.put(objection.code).put(f.rule).put(f.dim).put(static_cast<int32_t>(key - fault_keys.begin()));
    out.put(f.value).put(f.limit).put(std::string_view(f.message));
}

Objection get_objection(Reader &in, DRI_Code code, int process) {
    const auto rule = in.get<DRI_Dap_rule>();
    const auto dim = in.get<int32_t>();
    const auto key = in.get<int32_t>();
    const auto value = in.get<int64_t>(), limit = in.get<int64_t>();
    DRI_Dap_fault fault = make_fault_of(rule, -1, fault_keys.at(static_cast<size_t>(key)), value, limit, "");
    fault.dim = dim;
    fault.process = process;
    set_message(fault, fmt::format("process {}: {}", process, in.get_string()));
    return {code, fault};
}

void put(Writer &out, const Dimension &d) {
    out.put(static_cast<char>(d.type)).put(d.grid).put(d.rank).put(d.periodic).put(d.one_to_one);
    out.put(d.size).put(d.start).put(d.stop).put(d.padding[0]).put(d.padding[1]).put(d.block).put(d.nindices);
}

Dimension get_dimension(Reader &in) {
    Dimension d;
    d.type = in.get<char>();
    d.grid = in.get<int32_t>();
    d.rank = in.get<int32_t>();
    d.periodic = in.get<bool>();
    d.one_to_one = in.get<bool>();
    for (int64_t *const value : {&d.size, &d.start, &d.stop, &d.padding[0], &d.padding[1], &d.block, &d.nindices})
        *value = in.get<int64_t>();
    return d;
}

// The smallest and the largest index of a list. Of an empty one both are 0.
std::pair<int64_t, int64_t> range_of(const Dimension &d) {
    const auto list = d.list();
    if (list.empty())
        return {0, 0};
    const auto [least, most] = std::minmax_element(list.begin(), list.end());
    return {*least, *most};
}

Bytes write(const DRI_Dap &mine, int32_t number) {
    Writer out;
    const Member own = make_member(mine, 0);
    out.put(number).put(own.ndims).put(own.itemsize);
    for (size_t d = 0; d < static_cast<size_t>(own.ndims); ++d) {
        put(out, own.dims[d]);
        const auto [least, most] = range_of(own.dims[d]);
        dri::put(out.put(least).put(most), own.lists[d]);
    }
    return out.take();
}

Member read(Reader &in, int name) {
    Member made;
    made.name = name;
    made.ndims = in.get<int32_t>();
    made.itemsize = in.get<int64_t>();
    for (size_t d = 0; d < static_cast<size_t>(made.ndims); ++d) {
        made.dims[d] = get_dimension(in);
        made.least[d] = in.get<int64_t>();
        made.most[d] = in.get<int64_t>();
        made.lists[d] = get_digest(in);
    }
    return made;
}

bool is_one_to_one(const Member &m) {
    return std::any_of(m.dims.begin(), m.dims.end(), [](const Dimension &d) { return d.one_to_one; });
}

// Gives the members their lists of dimensions that are one_to_one. The lists stay in `lists`. Every process takes
// part, also one without such a dimension: members of one array may disagree.
void exchange_lists(const Processes &processes, const DRI_Dap &mine, std::vector<Member> &members,
                    std::vector<std::vector<int64_t>> &lists) {
    Writer out;
    const Member own = make_member(mine, 0);
    for (const Dimension &d : own.dims)
        if (d.one_to_one)
            out.put_all(d.list());
    const Exchanged all = exchange(processes, {}, out.take(), -1);
    for (size_t q = 0; q < members.size(); ++q) {
        Reader in(all[q]);
        for (Dimension &d : members[q].dims)
            if (d.one_to_one)
                d.indices = lists.emplace_back(in.get_all<std::vector<int64_t>>()).data();
    }
}

} // namespace

Processes read_group(DRI_Group group) {
    Processes read{group, {}, 0};
    int n = 0;
    outer::require(DRI_group_get_size(group, &n, &read.position));
    read.ranks.resize(static_cast<size_t>(n));
    outer::require(DRI_group_get_ranks(group, read.ranks.data()));
    if (read.position < 0)
        fail(DRI_ERR_ARG, "the calling process is not in the group");
    return read;
}

std::optional<Objection> objection_of(const std::function<void()> &steps) {
    const auto objection = [](int code, const char *message) {
        DRI_Dap_fault told = no_fault();
        set_message(told, message);
        return Objection{static_cast<DRI_Code>(code), told};
    };
    try {
        steps();
        return {};
    } catch (const Objection &thrown) {
        return thrown;
    } catch (const outer::AlreadyReported &failed) {
        return objection(failed.code, DRI_error_message());
    } catch (...) {
        const Error error = current_error();
        return objection(error.code(), error.what());
    }
}

Exchanged exchange(const Processes &processes, const std::optional<Objection> &objection, const Bytes &mine,
                   int64_t most, DRI_Dap_fault *fault) {
    Writer out;
    if (objection)
        put(out, *objection);
    else
        out.put(DRI_SUCCESS).put(mine);
    const Bytes own = out.take();
    const size_t n = processes.ranks.size();
    std::vector<int64_t> sizes(n);
    Bytes all;
    const auto gather = [&](const void *bytes, size_t count, void *received, int64_t capacity) {
        outer::require(DRI_group_gather(processes.group, DRI_SUCCESS, bytes, static_cast<int64_t>(count),
                                        sizes.data(), received, capacity));
    };
    int64_t capacity = 0;
    if (most < 0) {
        const auto mine_alone = static_cast<int64_t>(own.size());
        std::vector<int64_t> each(n);
        gather(&mine_alone, sizeof mine_alone, each.data(), static_cast<int64_t>(n * sizeof mine_alone));
        capacity = std::accumulate(each.begin(), each.end(), int64_t{0}, checked_add);
    } else {
        capacity = checked_mul(std::max(most, most_bytes_of_an_objection), static_cast<int64_t>(n));
    }
    all.resize(static_cast<size_t>(capacity));
    gather(own.data(), own.size(), all.data(), capacity);
    Exchanged exchanged;
    size_t at = 0;
    for (size_t q = 0; q < n; at += static_cast<size_t>(sizes[q++])) {
        Reader in({all.data() + at, static_cast<size_t>(sizes[q])});
        if (const auto code = in.get<DRI_Code>(); code != DRI_SUCCESS) {
            const Objection first = get_objection(in, code, processes.ranks[q]);
            if (fault)
                *fault = first.fault;
            fail(first.code, "{}", first.fault.message);
        }
        exchanged.push_back(in.get_bytes());
    }
    return exchanged;
}

std::vector<Member> agree(const Processes &processes, const DRI_Dap *mine, int32_t number,
                          const std::function<void(const DRI_Dap &)> &check_arguments, DRI_Dap_fault *fault) {
    if (fault)
        *fault = no_fault();
    const auto objection = objection_of([&] {
        outer::require_pointer(mine, "mine");
        if (const auto found = fault_of(*mine))
            throw Objection{DRI_ERR_ARG, *found};
        check_arguments(*mine);
    });
    const Exchanged all =
        exchange(processes, objection, objection ? Bytes{} : write(*mine, number), most_bytes_of_a_member, fault);
    std::vector<Member> members;
    for (size_t q = 0; q < processes.ranks.size(); ++q) {
        Reader in(all[q]);
        if (const auto other = in.get<int32_t>(); other != number)
            fail(DRI_ERR_MISMATCH, "process {} passes the view {}, but process {} passes {}", processes.ranks[q],
                 other, processes.ranks[static_cast<size_t>(processes.position)], number);
        members.push_back(read(in, processes.ranks[q]));
    }
    std::vector<std::vector<int64_t>> lists;
    if (std::any_of(members.begin(), members.end(), is_one_to_one))
        exchange_lists(processes, *mine, members, lists);
    conclude(group_fault(members), DRI_ERR_MISMATCH, fault);
    for (Member &m : members)
        for (Dimension &d : m.dims)
            d.indices = nullptr;
    return members;
}

} // namespace dri::dap
