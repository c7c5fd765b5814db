// The objects behind handles of maps and domains.
#pragma once

#include "domain/space.hpp"
#include "outer/objects.hpp"

#include <dri/domain.h>

namespace dri::domain {

class Elements;

// A domain is one object with any number of handles, whose map and ranges may
// change.
class DomainObject {
public:
    // The domain of an alias stays as it is, because the alias has the memory of its array.
    enum class Use { own, of_alias };
    explicit DomainObject(std::shared_ptr<const Space> space, Use use = Use::own)
        : space_(std::move(space)), use_(use) {}

    Use use() const { return use_; }

    std::shared_ptr<const Space> space() const {
        const std::lock_guard lock(mutex_);
        return space_;
    }
    void set(std::shared_ptr<const Space> space) {
        const std::lock_guard lock(mutex_);
        space_ = std::move(space);
    }
    // An array over the domain follows it as long as it exists.
    void add(const std::shared_ptr<Elements> &array) {
        const std::lock_guard lock(mutex_);
        std::erase_if(arrays_, [](const auto &one) { return one.expired(); });
        arrays_.push_back(array);
    }
    // In the order in which they were made.
    std::vector<std::shared_ptr<Elements>> arrays() const {
        const std::lock_guard lock(mutex_);
        std::vector<std::shared_ptr<Elements>> found;
        for (const auto &one : arrays_)
            if (auto array = one.lock())
                found.push_back(std::move(array));
        return found;
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const Space> space_;
    const Use use_;
    std::vector<std::weak_ptr<Elements>> arrays_;
};

using MapObjects = outer::Objects<DRI_Map, const DomainMap, HandleKind::map>;
using DomainObjects = outer::Objects<DRI_Domain, DomainObject, HandleKind::domain>;

// The present map and ranges of a domain. Fails with DRI_ERR_STATE and
// DRI_ERR_HANDLE.
inline std::shared_ptr<const Space> get_space(DRI_Domain domain) {
    return DomainObjects::read(domain, [](const DomainObject &found) { return found.space(); });
}

} // namespace dri::domain
