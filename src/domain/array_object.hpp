// The objects behind handles of arrays: all elements, or an alias of some.
#pragma once

#include "domain/elements.hpp"
#include "outer/any_array.hpp"

#include <dri/array.h>

namespace dri::domain {

class ArrayObject final : public outer::AnyArray {
public:
    // All elements.
    explicit ArrayObject(std::shared_ptr<Elements> elements);
    // Some of another one's. dropped: bits of dimensions of one member. Fails as
    // DRI_array_slice.
    ArrayObject(const ArrayObject &of, const DRI_Range ranges[], unsigned dropped);

    const std::shared_ptr<Elements> &elements() const { return elements_; }
    bool is_alias() const { return slice_ != nullptr; }
    const std::shared_ptr<DomainObject> &domain() const { return domain_; }
    // Fails with DRI_ERR_STATE for an alias of elements that have moved.
    void require_current() const;

    // Ranges of this array as ranges of the elements' domain. nullptr: all. Fails
    // with DRI_ERR_ARG for ranges that are not inside. what: names them.
    Ranges in_elements(const DRI_Range ranges[], const char *what) const;
    // The address of an element that the process owns. Fails as DRI_array_at.
    std::byte *at(const int64_t index[]) const;
    // That of box 0 stays at its place, any other one until the thread's next
    // call.
    const DRI_View *view(int64_t box) const;
    std::string describe() const override;
    DRI_Type type() const override { return elements_->kind().type.get(); }

    void update_overlap() override;
    void start_update() override;
    void wait_for_update() override;
    bool is_updating() const override { return elements_->updating != Elements::Updating::no; }
    std::optional<int64_t> timeout_ms() const override { return elements_->settings().timeout_ms; }

    std::vector<std::shared_ptr<const void>> memory() const override;
    std::shared_ptr<outer::AnyArray> whole() override { return nullptr; }
    std::shared_ptr<outer::AnyArray> base() const override {
        return is_alias() ? std::make_shared<ArrayObject>(elements_) : nullptr;
    }
    std::shared_ptr<const outer::Storage> storage() const override;
    uint64_t storage_id() const override {
        require_current();
        return elements_->storage_id();
    }
    void set_callers() override { elements_->is_callers_everywhere = true; }
    std::unique_ptr<outer::ArrayMaker> maker() const override;
    outer::StorageSlice slice(const DRI_Range ranges[], const std::string &what) const override;
    outer::StorageSlice slice_beyond(const DRI_Range ranges[], const std::string &what) const override;

private:
    DRI_View view_of_box(int64_t box) const;
    DRI_View view_of_none() const;
    void show_kept(DRI_View &view) const;

    std::shared_ptr<Elements> elements_;
    std::shared_ptr<DomainObject> domain_;
    // Of an alias: what it has of the elements' domain, and which dimensions it
    // keeps.
    std::shared_ptr<const Space> slice_;
    std::vector<size_t> kept_;
    uint64_t generation_ = 0;
    DRI_View first_view_{};
};

// The array over a domain behind a handle. Fails with DRI_ERR_HANDLE, with DRI_ERR_STATE if the library is not
// running, and with DRI_ERR_ARG for a piece.
std::shared_ptr<ArrayObject> get_array(DRI_Array array);
// The same, for calls that all processes of the array make. One over memory of the caller becomes an array over a
// domain here, which is collective.
std::shared_ptr<ArrayObject> get_whole_array(DRI_Array array);
// Two of them. Whether the library runs is asked once.
struct ArrayPair {
    std::shared_ptr<ArrayObject> dst, src;
};
ArrayPair get_whole_arrays(DRI_Array dst, DRI_Array src);

// An index of the array, from one of the dimensions that an alias keeps. slice: has one member along the others.
Dims whole_index(const Ranges &slice, const std::vector<size_t> &kept, const int64_t index[]);
// The domain of an alias that has fewer dimensions than its array.
std::shared_ptr<const Space> without_dimensions(const std::shared_ptr<const Space> &slice,
                                                const std::vector<size_t> &kept);

} // namespace dri::domain
