// The elements of an array: memory over a domain. An array and its aliases
// share them.
#pragma once

#include "base/env.hpp"
#include "domain/objects.hpp"
#include "outer/agree.hpp"
#include "outer/owned.hpp"
#include "outer/storage.hpp"

#include <dri/view.h>

namespace dri::domain {

// Settings of an array. All processes have the same.
struct ArraySettings {
    bool bulk = true;
    int64_t plans = 16, threads = 1;
    std::optional<int64_t> timeout_ms;
    void (*copy)(const void *from, void *to,
                 void *ctx) = nullptr; // nullptr: elements are plain
    void *copy_ctx = nullptr;
};

// Gives an endpoint of the array its settings.
void apply(const ArraySettings &settings, DRI_Xfer end);

// The same for what may change after the commit. last: what the endpoint has; it is kept there.
void apply_timeout(const ArraySettings &settings, std::optional<int64_t> &last, DRI_Xfer end);

// What the elements need of a type.
struct ElementKind {
    outer::OwnedType type;
    size_t size = 0, alignment = 0, pitch = 0;
    bool is_predefined = false;
};
ElementKind kind_of(DRI_Type type);
bool are_equal(const ElementKind &a, const ElementKind &b);
// Whether an assignment may turn these elements into those: equal ones, and numbers as with DRI_ATTR_CONVERT.
bool is_converted(const ElementKind &from, const ElementKind &to);
// "complex float", or "record of 24 bytes aligned to 8".
std::string text_of(const ElementKind &kind);

// Memory of one process, of the library or of the caller.
class ArrayMemory {
public:
    ArrayMemory() = default;
    ArrayMemory(const ArrayMemory &) = delete;
    ArrayMemory &operator=(const ArrayMemory &) = delete;
    ~ArrayMemory();
    // space: bytes of address space before and behind, which cost nothing until they are used.
    void allocate(size_t bytes, size_t alignment, size_t space);
    void use(void *data) { data_ = static_cast<std::byte *>(data); }
    std::byte *data() const { return data_; }
    int64_t before() const { return before_; }
    int64_t behind() const { return behind_; }

private:
    std::byte *data_ = nullptr, *own_ = nullptr; // own_: what the library has provided
    int64_t before_ = 0, behind_ = 0;
};

// Where the elements are for one map and ranges. DRI_domain_set replaces it.
struct ArrayBody {
    std::shared_ptr<const Space> space;
    int position = -1; // of the calling process in the map; -1: it is not there
    std::shared_ptr<ArrayMemory> memory = std::make_shared<ArrayMemory>(); // with those who keep it

    const Holding &holding() const { return space->holding(position); }
};

class Elements {
public:
    // data: of the caller, or nullptr. first: a step of this process, such as a check of other arguments, which
    // fails on all. Collective over the map's processes, local on others.
    Elements(std::shared_ptr<DomainObject> domain, DRI_Type type, void *data, const std::function<void()> &first);
    // The same elements over another domain, filled with zeros: the settings are
    // those of `like`.
    Elements(std::shared_ptr<DomainObject> domain, const Elements &like);
    // Over a domain and with a type that all processes have agreed about before, in this memory, or in new one.
    // Local.
    Elements(std::shared_ptr<DomainObject> domain, DRI_Type type, std::shared_ptr<ArrayMemory> memory);
    Elements(const Elements &) = delete;
    Elements &operator=(const Elements &) = delete;
    ~Elements();

    uint64_t id() const { return id_; }
    const ElementKind &kind() const { return kind_; }
    const std::shared_ptr<DomainObject> &domain() const { return domain_; }
    const ArrayBody &body() const { return *body_; }
    const Space &space() const { return *body_->space; }
    // Raised when the body is replaced.
    uint64_t generation() const { return generation_; }
    bool is_callers_memory() const { return callers_; }
    bool is_callers_everywhere = false; // on all processes
    ArraySettings &settings() { return settings_; }
    const ArraySettings &settings() const { return settings_; }
    // The view of box 0, always at this place.
    const DRI_View &first_view() const { return view_; }

    // Takes the body of other elements, which get this one's.
    void swap_body(Elements &other);

    // The update of overlap: nothing before the first one.
    struct Update {
        std::string name;
        outer::OwnedDist dist; // dense, with overlap
        outer::OwnedXfer source, sink;
        std::optional<int64_t> source_timeout, sink_timeout;
    };
    std::optional<Update> update;
    // Of an update under way: a call of the whole or of the first half has timed out, or the second half is
    // missing.
    enum class Updating { no, whole, first_half, between };
    Updating updating = Updating::no;

    // Of the present body. A new one has another number.
    uint64_t storage_id() const { return storage_id_; }
    // What other modules see of it, once they have asked.
    std::shared_ptr<const outer::Storage> shown;

private:
    void make_body(void *data, const std::function<void()> &first);
    void find_place();
    void allocate();
    void renew_view();

    uint64_t id_;
    uint64_t storage_id_ = outer::next_storage();
    std::shared_ptr<DomainObject> domain_;
    ElementKind kind_;
    ArraySettings settings_;
    bool callers_ = false;
    uint64_t generation_ = 0;
    std::unique_ptr<ArrayBody> body_;
    DRI_View view_{};
};

// The view of a process that owns nothing.
DRI_View empty_view(const Elements &elements);
// A view of a box of dense indices of the array's domain that the process owns;
// `ranges` are those to show.
DRI_View view_of(const Elements &elements, const Ranges &dense, const Ranges &ranges, bool with_overlap);

// A group over ranks of the world.
class RankScope {
public:
    explicit RankScope(std::vector<int> ranks);
    outer::Partners scope() const { return {group_.get(), ranks_}; }
    DRI_Group group() const { return group_.get(); }

private:
    std::vector<int> ranks_;
    outer::OwnedGroup group_;
};
// The ranks of both maps, sorted.
std::vector<int> union_of(const DomainMap &a, const DomainMap &b);
int world_rank();
// What two processes that made the same domain agree on.
void put_space(Writer &out, const Space &space);

} // namespace dri::domain
