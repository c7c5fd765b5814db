// Objects of the C++ interface behind virtual classes: the type of the elements and the number of dimensions are
// part of its types, so there is a template for each type and each number of dimensions.
#pragma once

#include <dri/dri.hpp>

#include <any>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace face_calls {

// A record of 8 bytes, whatever its payload: types of C++ have no holes behind their size.
struct Record {
    int64_t bytes;
};
constexpr DRI_Type record_type{0x7EC0D};

struct Endpoint {
    virtual ~Endpoint() = default;
    virtual void set(DRI_Attr attribute, int64_t value) = 0;
    virtual void rebase(const int64_t *offset) = 0;
    virtual bool run() = 0;
    virtual void *buffer() const = 0;
    virtual std::vector<void *> buffers() const = 0;
    virtual DRI_Xfer handle() const = 0;
    virtual DRI_Xfer_info info() const = 0;
    virtual std::string explain() const = 0;
};

struct Distribution {
    virtual ~Distribution() = default;
    virtual std::shared_ptr<Endpoint> declare(const char *name, DRI_Role role, const dri::Options &options,
                                              void *const buffs[]) const = 0;
    virtual void tuples(int rank, DRI_Part_tuple *to) const = 0;
    virtual void extents(int rank, int64_t *to) const = 0;
    virtual int64_t owned(int rank) const = 0;
    virtual int64_t held(int rank) const = 0;
    virtual void grid(int *to) const = 0;
};

struct Array {
    virtual ~Array() = default;
    virtual std::shared_ptr<Array> subset(const int64_t *offsets, const int64_t *sizes) const = 0;
    virtual std::shared_ptr<Distribution> distribute(const std::any &partition, const dri::Group &group) const = 0;
    virtual int sizes(int64_t *to) const = 0;
    virtual int64_t size() const = 0;
    virtual int64_t bytes() const = 0;
};

template <class Numbers, class To> void copy_out(const Numbers &numbers, To *to) {
    std::copy(numbers.begin(), numbers.end(), to);
}

template <std::size_t N> dri::Index<N> index_of(const int64_t *numbers) {
    dri::Index<N> index{};
    if (N > 0 && !numbers)
        throw dri::Error(DRI_ERR_ARG, "no numbers: the types here always have some");
    std::copy_n(numbers, N, index.begin());
    return index;
}

template <class T, std::size_t N, class End> struct EndpointOf final : Endpoint {
    EndpointOf(std::string named, dri::Dist<T, N> distribution, dri::Options given,
               std::vector<std::span<T>> memory)
        : name(std::move(named)), dist(std::move(distribution)), options(std::move(given)),
          own(std::move(memory)) {
        declare();
    }
    void declare() {
        end = End(); // one name has one source
        end = own.empty() ? End(name, dist, options) : End(name, dist, options, own);
    }
    void set(DRI_Attr attribute, int64_t value) override {
        if (attribute == DRI_ATTR_WAYS)
            options.ways = static_cast<int>(value);
        else if (attribute == DRI_ATTR_WORKSPACE_LIMIT)
            options.workspace_limit = value;
        else if (attribute == DRI_ATTR_REBASE && value == 1)
            options.rebase = {0};
        else if (attribute == DRI_ATTR_BUFFER_BYTES)
            shorten(value / static_cast<int64_t>(sizeof(T)));
        else
            throw dri::Error(DRI_ERR_UNSUPPORTED, "the driver sets no other attribute");
        declare();
    }
    // A span tells the size of a buffer, in whole elements. NULL is no buffer.
    void shorten(int64_t elements) {
        std::erase_if(own, [](std::span<T> buffer) { return !buffer.data(); });
        for (std::span<T> &buffer : own)
            buffer = {buffer.data(), static_cast<std::size_t>(elements)};
    }
    void rebase(const int64_t *offset) override { end.rebase(index_of<N>(offset)); }
    bool run() override { return end.run(); }
    void *buffer() const override { return end.buffer().data(); }
    std::vector<void *> buffers() const override {
        std::vector<void *> found;
        for (const auto &part : end.buffers())
            found.push_back(part.data());
        return found;
    }
    DRI_Xfer handle() const override { return end.handle(); }
    DRI_Xfer_info info() const override { return end.info(); }
    std::string explain() const override { return end.explain(); }

    std::string name;
    dri::Dist<T, N> dist;
    dri::Options options;
    std::vector<std::span<T>> own;
    End end;
};

template <class T, std::size_t N> struct DistributionOf final : Distribution {
    explicit DistributionOf(dri::Dist<T, N> made) : dist(std::move(made)) {}
    std::shared_ptr<Endpoint> declare(const char *name, DRI_Role role, const dri::Options &options,
                                      void *const buffs[]) const override {
        std::vector<std::span<T>> own;
        for (int i = 0; buffs && i < options.buffers; ++i)
            own.emplace_back(static_cast<T *>(buffs[i]), reach(options.layout));
        if (role == DRI_SOURCE)
            return std::make_shared<EndpointOf<T, N, dri::Source<T, N>>>(name, dist, options, own);
        return std::make_shared<EndpointOf<T, N, dri::Sink<T, N>>>(name, dist, options, own);
    }
    // Elements from the first to the last of a part.
    std::size_t reach(const dri::Layout &layout) const {
        const auto extents = dist.extents(), strides = layout.strides(dist);
        int64_t last = 0;
        for (std::size_t d = 0; d < N; ++d)
            last += (extents[d] - 1) * strides[d];
        return dist.held() > 0 ? static_cast<std::size_t>(last + 1) : 0;
    }
    void tuples(int rank, DRI_Part_tuple *to) const override { copy_out(dist.tuples(rank), to); }
    void extents(int rank, int64_t *to) const override { copy_out(dist.extents(rank), to); }
    int64_t owned(int rank) const override { return dist.owned(rank); }
    int64_t held(int rank) const override { return dist.held(rank); }
    void grid(int *to) const override { copy_out(dist.grid(), to); }

    dri::Dist<T, N> dist;
};

template <class T, std::size_t N> struct ArrayOf final : Array {
    explicit ArrayOf(dri::Gdo<T, N> made) : gdo(std::move(made)) {}
    std::shared_ptr<Array> subset(const int64_t *offsets, const int64_t *sizes) const override {
        return std::make_shared<ArrayOf>(gdo.subset(index_of<N>(offsets), index_of<N>(sizes)));
    }
    std::shared_ptr<Distribution> distribute(const std::any &partition, const dri::Group &group) const override {
        const auto &cuts = std::any_cast<const dri::Partition<N> &>(partition);
        return std::make_shared<DistributionOf<T, N>>(dri::Dist(gdo, cuts, group));
    }
    int sizes(int64_t *to) const override {
        copy_out(gdo.sizes(), to);
        return static_cast<int>(N);
    }
    int64_t size() const override { return gdo.size(); }
    int64_t bytes() const override { return gdo.bytes(); }

    dri::Gdo<T, N> gdo;
};

// Objects by the ids of their handles.
template <class Object> class Table {
public:
    template <class Handle> void add(Handle *out, Object object) {
        *out = Handle{++last_ << 8 | 0xFA};
        objects_.emplace(out->id, std::move(object));
    }
    Object &at(uint64_t id) {
        const auto found = objects_.find(id);
        if (found == objects_.end())
            throw dri::Error(DRI_ERR_HANDLE, "there is no such object");
        return found->second;
    }
    template <class Handle> void erase(Handle *handle) {
        at(handle->id);
        objects_.erase(handle->id);
        *handle = Handle{};
    }
    void clear() { objects_.clear(); }

private:
    uint64_t last_ = 0;
    std::map<uint64_t, Object> objects_;
};

} // namespace face_calls
