// Names users' maps that others may be waiting for.
#include "domain/slow_maps.hpp"

#include "base/failures.hpp"
#include "outer/calls.hpp"

namespace dri::domain {

namespace {

// "'bands' and 'rings'", or nothing.
std::string names_of_users(std::initializer_list<const DomainMap *> maps) {
    std::string names;
    for (const DomainMap *map : maps)
        if (const auto *user = std::get_if<UserMap>(&map->sort()))
            if (const std::string name = fmt::format("'{}'", user->name()); names != name)
                names += (names.empty() ? "" : " and ") + name;
    return names;
}

} // namespace

void wait_for_maps(std::initializer_list<const DomainMap *> maps, const std::function<void()> &steps) {
    const std::string names = names_of_users(maps);
    if (names.empty())
        return steps();
    DRI_Code code;
    std::string message;
    try {
        const QuietFailures until_they_are_named;
        return steps();
    } catch (const outer::AlreadyReported &failed) {
        code = static_cast<DRI_Code>(failed.code);
        message = DRI_error_message();
    }
    if (code == DRI_ERR_TIMEOUT)
        message += fmt::format(". It may be in a function of the user's map {}", names);
    fail(code, "{}", message);
}

} // namespace dri::domain
