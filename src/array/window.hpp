// Windows: the box of elements that a process needs of one storage, beside what it owns.
#pragma once

#include "array/exchange.hpp"
#include "base/memory.hpp"
#include "outer/any_array.hpp"

namespace dri::array {

// How a window is filled.
enum class WindowKind {
    none,  // all processes own what they need
    rows,  // cut along dimension 0 alone: rows before and behind the owned ones
    frame, // the overlap of the array suffices
    copy   // all of it, in memory of the plan
};
const char *name_of(WindowKind kind);

class ReadWindow {
public:
    // boxes: what each process needs, by position. elements: names the operand in messages. Fails with
    // DRI_ERR_ARG, on all processes, if one leaves the array and its overlap. Local.
    ReadWindow(std::shared_ptr<const outer::Storage> storage, const std::vector<DRI_Box> &boxes,
               const std::string &operand);
    // Makes the exchange. Collective over the storage's processes.
    void commit(const char *operation, std::optional<int64_t> timeout_ms);

    WindowKind kind() const { return kind_; }
    const DRI_Box &box() const { return box_; }
    // The address of an element with these dense indices, once the window is filled, and the steps there.
    std::byte *at(const int64_t dense[]) const;
    const int64_t *steps() const { return steps_; }
    int64_t bytes() const { return memory_.bytes(); }

    // array: with all elements of the storage, asked for updates of its overlap. A window keeps no array, because
    // a plan must not.
    void start(outer::AnyArray &array);
    void wait(outer::AnyArray &array);

private:
    void use_own_rows();
    void use_memory();
    void copy_own();

    std::shared_ptr<const outer::Storage> storage_;
    WindowKind kind_ = WindowKind::none;
    DRI_Box box_{};
    std::byte *origin_ = nullptr; // of the element `origin_index_`
    int64_t origin_index_[DRI_MAX_DIMS]{};
    int64_t steps_[DRI_MAX_DIMS]{};
    AlignedBuffer memory_;
    bool copies_own_ = false;
    bool updating_ = false;
    std::shared_ptr<ElementExchange> exchange_;
};

// Whether the storage is cut along dimension 0 alone.
bool is_cut_in_rows(const outer::Storage &storage);
// Whether [begin, end), bytes from the storage's first element, lies in its memory for halos and owned rows.
bool has_space(const outer::Storage &storage, int64_t begin, int64_t end);
// Copies elements between two places with steps.
void copy_elements(int ndims, const int64_t sizes[], int64_t pitch, const std::byte *from,
                   const int64_t from_steps[], std::byte *to, const int64_t to_steps[]);

} // namespace dri::array
