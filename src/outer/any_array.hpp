// What is behind a handle of an array: an array over a domain, or a piece. The modules that have them know their
// own only, and call others through this class.
#pragma once

#include "outer/objects.hpp"
#include "outer/storage.hpp"

#include <string>

namespace dri::outer {

class AnyArray;

// Makes arrays over the domain of one that exists or has ended, without talking to other processes.
class ArrayMaker {
public:
    ArrayMaker() = default;
    ArrayMaker(const ArrayMaker &) = delete;
    ArrayMaker &operator=(const ArrayMaker &) = delete;
    virtual ~ArrayMaker() = default;
    // Its elements have any values. It has the memory of the array before the last one, if nobody uses that any
    // more. Fails with DRI_ERR_MEMORY on this process alone. Local.
    virtual std::shared_ptr<AnyArray> make() = 0;
    // The next ones have memory of their own. Local.
    virtual void forget_memory() noexcept = 0;
};

class AnyArray {
public:
    AnyArray() = default;
    AnyArray(const AnyArray &) = delete;
    AnyArray &operator=(const AnyArray &) = delete;
    virtual ~AnyArray() = default;

    virtual DRI_Type type() const = 0;
    virtual std::string describe() const = 0;
    // As the calls of these names. Fails as they do.
    virtual void update_overlap() = 0;
    virtual void start_update() = 0;
    virtual void wait_for_update() = 0;
    virtual bool is_updating() const = 0;
    // Of its transfers; nothing: the default.
    virtual std::optional<int64_t> timeout_ms() const = 0;

    // Memory of the library that the array or the piece lies in. It is not the caller's.
    virtual std::vector<std::shared_ptr<const void>> memory() const { return {}; }

    // The array over a domain that has all elements; nullptr: this one. The first call may make it, and is then
    // collective over the array's processes. Fails with DRI_ERR_ARG for a piece.
    virtual std::shared_ptr<AnyArray> whole() = 0;
    // Of an alias the array with all elements; nullptr: this one.
    virtual std::shared_ptr<AnyArray> base() const = 0;
    // Of an array over a domain. Fails with DRI_ERR_STATE for an alias that is stale. The slice has these ranges
    // of the array's domain, nullptr for all. what: names them. Fails with DRI_ERR_ARG if a range is not inside.
    virtual std::shared_ptr<const Storage> storage() const = 0;
    virtual uint64_t storage_id() const { return storage()->id; }
    virtual StorageSlice slice(const DRI_Range ranges[], const std::string &what) const = 0;
    // Of an array over a domain: it is memory of the caller on all processes. Before storage() is called.
    virtual void set_callers() {}
    // Of an array over a domain, in memory of the library, with default settings.
    virtual std::unique_ptr<ArrayMaker> maker() const { return nullptr; }
    // As slice() for reads: ranges of an array that is no alias may continue beyond its domain, in the domain's
    // strides.
    virtual StorageSlice slice_beyond(const DRI_Range ranges[], const std::string &what) const {
        return slice(ranges, what);
    }
};

using AnyArrays = Objects<DRI_Array, AnyArray, HandleKind::array>;

} // namespace dri::outer
