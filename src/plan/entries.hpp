// The entries of a table. Copies of a table share them.
#pragma once

#include "plan/column.hpp"
#include "plan/value_iterator.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace dri::plan {

// One entry of a table, which is a loop with listed offsets: `count` steps, starting from the entry's offsets.
// Lists of indices and blocks of many sizes become tables. A loop that strides can describe never does.
struct TableEntry {
    int64_t src_offset;
    int64_t dst_offset;
    int64_t count;
    friend bool operator==(const TableEntry &, const TableEntry &) = default;
};

// A list that never changes. Copies of it share their memory. The list may be as long as a part has elements along
// one dimension. Therefore each member of the entries is kept as a Column, and entries are put together when they
// are read.
class Entries {
    struct Columns {
        size_t size;
        Column src, dst, count;
        TableEntry operator[](size_t i) const { return {src[i], dst[i], count[i]}; }
    };

public:
    using List = std::vector<TableEntry>;

    Entries() = default;
    Entries(std::initializer_list<TableEntry> list) : Entries(List(list)) {}
    // each(take) calls take(entry) for each of n entries, in their order. It is called several times.
    template <class Each>
    Entries(size_t n, const Each &each)
        : columns_(n == 0 ? nullptr
                          : std::make_shared<const Columns>(Columns{n, column<&TableEntry::src_offset>(n, each),
                                                                    column<&TableEntry::dst_offset>(n, each),
                                                                    column<&TableEntry::count>(n, each)})) {}
    Entries(const List &list)
        : Entries(list.size(), [&](const auto &take) {
              for (const TableEntry &entry : list)
                  take(entry);
          }) {}

    using Iterator = ValueIterator<Columns, TableEntry>;

    size_t size() const { return columns_ ? columns_->size : 0; }
    bool empty() const { return !columns_; }
    Iterator begin() const { return {columns_.get(), 0}; }
    Iterator end() const { return {columns_.get(), size()}; }
    TableEntry operator[](size_t i) const { return (*columns_)[i]; }
    TableEntry front() const { return (*this)[0]; }
    // The entries [first, end), to be changed and made into Entries again.
    List list() const { return list(0, size()); }
    List list(size_t first, size_t end) const {
        List out;
        out.reserve(end - first);
        for (size_t i = first; i < end; ++i)
            out.push_back((*this)[i]);
        return out;
    }
    // Not empty: the offsets of all entries.
    const Column &sources() const { return columns_->src; }
    const Column &destinations() const { return columns_->dst; }
    const Column &counts() const { return columns_->count; }

    // Equal for Entries that share their memory.
    const void *memory() const { return columns_.get(); }
    int64_t sharers() const { return columns_.use_count(); }
    int64_t heap_bytes() const {
        if (empty())
            return 0;
        return int64_t{sizeof(Columns)} + columns_->src.heap_bytes() + columns_->dst.heap_bytes() +
               columns_->count.heap_bytes();
    }

    friend bool operator==(const Entries &a, const Entries &b) {
        if (a.columns_ == b.columns_)
            return true;
        if (a.size() != b.size())
            return false;
        for (size_t i = 0; i < a.size(); ++i)
            if (a[i] != b[i])
                return false;
        return true;
    }

private:
    template <int64_t TableEntry::*member, class Each> static Column column(size_t n, const Each &each) {
        return Column(n, [&](const auto &take) { each([&](const TableEntry &entry) { take(entry.*member); }); });
    }

    std::shared_ptr<const Columns> columns_; // null: no entries
};

} // namespace dri::plan
