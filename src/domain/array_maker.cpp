// Makes arrays like one: over a domain of its own with the same map and ranges.
#include "domain/array_object.hpp"
#include "outer/any_array.hpp"

#include <array>
#include <atomic>
#include <utility>

namespace dri::domain {

namespace {

class ElementsMaker final : public outer::ArrayMaker {
public:
    explicit ElementsMaker(const Elements &like)
        : space_(like.body().space), kind_(kind_of(like.kind().type.get())), made_{like.body().memory, nullptr} {}

    std::shared_ptr<outer::AnyArray> make() override {
        std::swap(made_[0], made_[1]); // the older one first
        auto memory = made_[0].use_count() == 1 ? made_[0] : nullptr;
        std::atomic_thread_fence(std::memory_order_acquire); // another thread may have been the last that used it
        auto elements = std::make_shared<Elements>(std::make_shared<DomainObject>(space_), kind_.type.get(),
                                                   std::move(memory));
        elements->domain()->add(elements);
        made_[0] = elements->body().memory;
        return std::make_shared<ArrayObject>(std::move(elements));
    }
    void forget_memory() noexcept override { made_ = {}; }

private:
    std::shared_ptr<const Space> space_;
    ElementKind kind_;
    std::array<std::shared_ptr<ArrayMemory>, 2> made_; // of the last two arrays: the new one is made before x =
                                                       // f(x) ends the old one
};

} // namespace

std::unique_ptr<outer::ArrayMaker> ArrayObject::maker() const {
    require_current();
    return std::make_unique<ElementsMaker>(*elements_);
}

} // namespace dri::domain
