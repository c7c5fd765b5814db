// The entries of a table. Copies of a table share them.
#pragma once

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

// A list with value semantics: copies share memory, and change() first makes a private copy. The list may be as
// long as a part has elements along one dimension. A plan holds it in many pieces, and bound copies hold it again.
class Entries {
public:
    using List = std::vector<TableEntry>;

    Entries() = default;
    Entries(std::initializer_list<TableEntry> list) : Entries(List(list)) {}
    Entries(List list) : list_(std::make_shared<List>(std::move(list))) {}

    const List &list() const { return list_ ? *list_ : none; }
    List &change() {
        if (!list_ || list_.use_count() > 1)
            list_ = std::make_shared<List>(list());
        return *list_;
    }

    int64_t sharers() const { return list_.use_count(); }

    size_t size() const { return list().size(); }
    bool empty() const { return list().empty(); }
    auto begin() const { return list().begin(); }
    auto end() const { return list().end(); }
    const TableEntry &front() const { return list().front(); }
    const TableEntry &operator[](size_t i) const { return list()[i]; }
    friend bool operator==(const Entries &a, const Entries &b) {
        return a.list_ == b.list_ || a.list() == b.list();
    }

private:
    static inline const List none;

    std::shared_ptr<List> list_; // null: no entries
};

} // namespace dri::plan
