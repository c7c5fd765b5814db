// A list of copies. Lists that differ only in where they start share their memory.
#pragma once

#include "plan/strided_copy.hpp"
#include "plan/value_iterator.hpp"

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dri::plan {

// A list with value semantics: copies share memory, and change() first makes a private copy. The messages of a
// plan are often the same copies at other offsets. A list is therefore a form, which others may share, and two
// distances that are added to its offsets.
class CopyList {
public:
    using Form = std::vector<StridedCopy>;

    CopyList() = default;
    CopyList(std::initializer_list<StridedCopy> copies) : CopyList(Form(copies)) {}
    CopyList(Form copies) : form_(std::make_shared<Form>(std::move(copies))) {}

    using Iterator = ValueIterator<CopyList, StridedCopy>;

    size_t size() const { return form_ ? form_->size() : 0; }
    bool empty() const { return size() == 0; }
    StridedCopy operator[](size_t i) const {
        StridedCopy copy = (*form_)[i];
        copy.src_offset += src_distance_;
        copy.dst_offset += dst_distance_;
        return copy;
    }
    StridedCopy at(size_t i) const { return (void)form().at(i), (*this)[i]; }
    StridedCopy front() const { return (*this)[0]; }
    StridedCopy back() const { return (*this)[size() - 1]; }
    Iterator begin() const { return {this, 0}; }
    Iterator end() const { return {this, size()}; }
    std::vector<StridedCopy> list() const { return {begin(), end()}; }

    // The copies, to be changed. Valid until the list is copied.
    Form &change() {
        if (!form_ || form_.use_count() > 1 || src_distance_ != 0 || dst_distance_ != 0)
            *this = CopyList(list());
        return *form_;
    }

    void push_back(StridedCopy copy) { change().push_back(std::move(copy)); }

    // The copies without the distances. Lists of one form have the same address here.
    const Form &form() const { return form_ ? *form_ : none; }
    int64_t src_distance() const { return src_distance_; }
    int64_t dst_distance() const { return dst_distance_; }
    // Takes over the form of another list, if that list is the same except for the distances. Returns whether it
    // is.
    bool share(const CopyList &other);
    // Equal for lists that can share their form.
    size_t form_hash() const;

    friend bool operator==(const CopyList &a, const CopyList &b) {
        if (a.form_ == b.form_)
            return a.src_distance_ == b.src_distance_ && a.dst_distance_ == b.dst_distance_;
        return a.list() == b.list();
    }

private:
    static inline const Form none;

    std::shared_ptr<Form> form_; // null: no copies
    int64_t src_distance_ = 0, dst_distance_ = 0;
};

// Makes lists share their forms. Holds one list of each form that it has seen.
class CopyForms {
public:
    void share(CopyList &list);

private:
    std::unordered_multimap<size_t, CopyList> known_; // by form_hash()
};

} // namespace dri::plan
