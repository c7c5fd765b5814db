// Windows: the box of elements that a process needs of one storage, beside what it owns.
#pragma once

#include "array/exchange.hpp"
#include "base/memory.hpp"
#include "outer/any_array.hpp"

#include <array>

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
    // Makes the exchange. moves: all if bind() may follow. Collective over the storage's processes.
    void commit(const char *operation, std::optional<int64_t> timeout_ms, Rebinds moves);
    // Serves a storage of the same form from now on. Not while an exchange is under way. Local.
    void bind(const outer::Storage &storage);
    // Uses no memory of arrays, and has none, until it is bound again. Local.
    void let_go() noexcept;

    bool is_broken() const { return exchange_ && exchange_->is_broken(); }
    bool is_under_way() const { return updating_.read() || (exchange_ && exchange_->is_under_way()); }
    // Of its transfer, the same on all processes; empty without one.
    std::string name() const { return exchange_ ? exchange_->name() : std::string(); }
    WindowKind kind() const { return kind_; }
    const DRI_Box &box() const { return box_; }
    // The address of an element with these dense indices, once the window is filled, and the steps there. Bytes
    // from `origin`, which changes with the storage.
    std::byte *at(const int64_t dense[]) const { return origin_ + offset_of(dense); }
    int64_t offset_of(const int64_t dense[]) const;
    std::byte *origin() const { return origin_; }
    const int64_t *steps() const { return steps_; }
    int64_t bytes() const { return memory_ ? memory_->bytes() : 0; }
    // Of the plan; nullptr: elements lie beside the owned ones.
    std::shared_ptr<const void> memory() const { return memory_; }

    // array: with all elements of the storage, asked for updates of its overlap. A window keeps no array, because
    // a plan must not.
    void start(outer::AnyArray &array);
    void wait(outer::AnyArray &array);
    // What is under way has not ended in time, and is given up.
    void give_up() noexcept {
        if (exchange_)
            exchange_->give_up();
    }
    // Ends what is under way when its array has ended.
    void wait_without_array(std::optional<int64_t> timeout_ms);

private:
    void find_place(const outer::Storage &storage);
    void use_memory();
    std::array<DRI_Box, 2> halos() const;
    std::vector<ExchangeBox> sinks() const;
    void copy_own();

    std::shared_ptr<const outer::Storage> storage_;
    WindowKind kind_ = WindowKind::none;
    DRI_Box box_{};
    std::byte *origin_ = nullptr; // of the element `origin_index_`
    int64_t origin_index_[DRI_MAX_DIMS]{};
    int64_t steps_[DRI_MAX_DIMS]{};
    std::shared_ptr<AlignedBuffer> memory_;
    bool is_own_ = true;              // elements lie beside the owned ones; otherwise in memory of the plan
    int64_t first_ = 0, end_ = 0;     // bytes from the first owned element, of rows
    const std::byte *data_ = nullptr; // of the storage
    Published<bool> updating_ = false;
    std::shared_ptr<ElementExchange> exchange_;
};

// Whether the storage is cut along dimension 0 alone.
bool is_cut_in_rows(const outer::Storage &storage);
// Whether a plan over it may be kept for others: its workspace may be as large as all elements.
bool is_small(const outer::Storage &storage);
// Whether [begin, end), bytes from the storage's first element, lies in its memory for halos and owned rows.
bool has_space(const outer::Storage &storage, int64_t begin, int64_t end);
// Copies elements between two places with steps.
void copy_elements(int ndims, const int64_t sizes[], int64_t pitch, const std::byte *from,
                   const int64_t from_steps[], std::byte *to, const int64_t to_steps[]);

} // namespace dri::array
