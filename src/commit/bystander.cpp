// Finds the endpoints that a user may have meant, and the words for them.
#include "commit/bystander.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace dri::commit {

namespace {

// How many letters must be inserted, removed, replaced or swapped with the next one to make one name of the other.
size_t distance(const std::string &a, const std::string &b) {
    std::vector<size_t> two_back(b.size() + 1), back(b.size() + 1), row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= a.size(); ++i) {
        two_back.swap(back);
        back.swap(row);
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({back[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), back[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], two_back[j - 2] + 1);
        }
    }
    return row.back();
}

// At most one letter in three differs.
bool is_near(const std::string &a, const std::string &b) {
    return 3 * distance(a, b) <= std::max(a.size(), b.size());
}

} // namespace

// Of each role one name that does not match either is sent: the nearest one, whether it is near or not.
std::vector<Bystander> bystanders_of(const std::string &name, Endpoints mine, Endpoints others,
                                     const std::map<std::string, bool> &disputed, int rank) {
    std::vector<Bystander> found;
    for (const auto &endpoint : others)
        if (const Declaration &d = endpoint->declaration();
            d.name == name && (!endpoint->committed() || is_committed_by_all(endpoint)))
            found.push_back(
                {rank, endpoint->committed() ? Standing::committed : Standing::left_out, d.role, d.name});
    for (const Role role : {Role::source, Role::sink}) {
        const std::string *nearest = nullptr;
        for (const auto &endpoint : mine) {
            const Declaration &d = endpoint->declaration();
            if (d.role != role || d.name == name || !disputed.contains(d.name))
                continue;
            if (!nearest ||
                std::pair(distance(name, d.name), d.name) < std::pair(distance(name, *nearest), *nearest))
                nearest = &d.name;
        }
        if (nearest)
            found.push_back({rank, is_near(name, *nearest) ? Standing::near : Standing::other, role, *nearest});
    }
    return found;
}

void put(Writer &out, const Bystander &bystander) {
    out.put(bystander.standing);
    out.put(bystander.role);
    out.put(std::string_view(bystander.name));
}

Bystander get_bystander(Reader &in, int rank) {
    Bystander bystander;
    bystander.rank = rank;
    bystander.standing = in.get<Standing>();
    bystander.role = in.get<Role>();
    bystander.name = in.get_string();
    return bystander;
}

std::string hint(std::span<const Bystander> bystanders, Role role, std::optional<int> rank) {
    const Bystander *best = nullptr;
    for (const Bystander &one : bystanders)
        if (one.role == role && (rank ? one.rank == *rank : one.standing != Standing::other) &&
            (!best || std::tie(one.standing, one.rank) < std::tie(best->standing, best->rank)))
            best = &one;
    if (!best)
        return "";
    switch (best->standing) {
    case Standing::left_out:
        return fmt::format("; process {} has declared a {} of it, but has not passed it to this commit",
                           best->rank, role_name(role));
    case Standing::committed:
        return fmt::format(
            "; process {} has a {} of that name that is committed already, and no endpoint joins it: "
            "destroy it, and commit all endpoints together",
            best->rank, role_name(role));
    case Standing::near:
        return fmt::format("; the nearest name of a {} is '{}', on process {}", role_name(role), best->name,
                           best->rank);
    case Standing::other:
        return fmt::format("; process {} has declared a {} of '{}', which does not match either", best->rank,
                           role_name(role), best->name);
    }
    return "";
}

} // namespace dri::commit
