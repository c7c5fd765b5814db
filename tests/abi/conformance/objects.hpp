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

// std::make_unique and std::make_shared would be compiled for each type and each number of dimensions.
template <class Object> using Owned = std::unique_ptr<Object>;

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
    virtual Owned<Endpoint> declare(const char *name, DRI_Role role, const dri::Options &options,
                                    void *const buffs[]) const = 0;
    virtual void tuples(int rank, DRI_Part_tuple *to) const = 0;
    virtual void extents(int rank, int64_t *to) const = 0;
    virtual int64_t owned(int rank) const = 0;
    virtual int64_t held(int rank) const = 0;
    virtual void grid(int *to) const = 0;
};

struct Array {
    virtual ~Array() = default;
    virtual Owned<Array> subset(const int64_t *offsets, const int64_t *sizes) const = 0;
    virtual Owned<Distribution> distribute(const std::any &partition, const dri::Group &group) const = 0;
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

// A buffer of the driver. NULL is none.
struct Memory {
    void *address;
    std::size_t elements;
};

// Does an attribute of the driver by the options, or by the size of the buffers, in whole elements.
inline void set_option(dri::Options &options, std::vector<Memory> &own, std::size_t element_bytes,
                       DRI_Attr attribute, int64_t value) {
    if (attribute == DRI_ATTR_WAYS) {
        options.ways = static_cast<int>(value);
    } else if (attribute == DRI_ATTR_WORKSPACE_LIMIT) {
        options.workspace_limit = value;
    } else if (attribute == DRI_ATTR_REBASE && value == 1) {
        options.rebase = {0};
    } else if (attribute == DRI_ATTR_BUFFER_BYTES) {
        std::erase_if(own, [](const Memory &memory) { return !memory.address; });
        for (Memory &memory : own)
            memory.elements = static_cast<std::size_t>(value) / element_bytes;
    } else {
        throw dri::Error(DRI_ERR_UNSUPPORTED, "the driver sets no other attribute");
    }
}

template <class T, std::size_t N> struct EndpointOf final : Endpoint {
    EndpointOf(std::string named, DRI_Role role, dri::Dist<T, N> distribution, dri::Options given,
               std::vector<Memory> memory)
        : name(std::move(named)), dist(std::move(distribution)), options(std::move(given)), own(std::move(memory)),
          is_source(role == DRI_SOURCE) {
        declare();
    }
    void declare() {
        if (is_source)
            declare(source);
        else
            declare(sink);
    }
    template <class End> void declare(End &end) {
        end = End(); // one name has one source
        if (own.empty()) {
            end = End(name, dist, options);
            return;
        }
        std::vector<std::span<T>> buffers;
        for (const Memory &memory : own)
            buffers.emplace_back(static_cast<T *>(memory.address), memory.elements);
        end = End(name, dist, options, buffers);
    }
    dri::End<T, N> &end() { return is_source ? static_cast<dri::End<T, N> &>(source) : sink; }
    const dri::End<T, N> &end() const { return const_cast<EndpointOf *>(this)->end(); }
    void set(DRI_Attr attribute, int64_t value) override {
        set_option(options, own, sizeof(T), attribute, value);
        declare();
    }
    void rebase(const int64_t *offset) override { end().rebase(index_of<N>(offset)); }
    bool run() override { return end().run(); }
    void *buffer() const override { return end().buffer().data(); }
    std::vector<void *> buffers() const override {
        std::vector<void *> found;
        for (const auto &part : end().buffers())
            found.push_back(part.data());
        return found;
    }
    DRI_Xfer handle() const override { return end().handle(); }
    DRI_Xfer_info info() const override { return end().info(); }
    std::string explain() const override { return end().explain(); }

    std::string name;
    dri::Dist<T, N> dist;
    dri::Options options;
    std::vector<Memory> own;
    bool is_source;
    dri::Source<T, N> source; // one of these is empty
    dri::Sink<T, N> sink;
};

template <class T, std::size_t N> struct DistributionOf final : Distribution {
    explicit DistributionOf(dri::Dist<T, N> made) : dist(std::move(made)) {}
    Owned<Endpoint> declare(const char *name, DRI_Role role, const dri::Options &options,
                            void *const buffs[]) const override {
        std::vector<Memory> own;
        for (int i = 0; buffs && i < options.buffers; ++i)
            own.push_back({buffs[i], reach(options.layout)});
        return Owned<Endpoint>(new EndpointOf<T, N>(name, role, dist, options, own));
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
    Owned<Array> subset(const int64_t *offsets, const int64_t *sizes) const override {
        return Owned<Array>(new ArrayOf(gdo.subset(index_of<N>(offsets), index_of<N>(sizes))));
    }
    Owned<Distribution> distribute(const std::any &partition, const dri::Group &group) const override {
        const auto &cuts = std::any_cast<const dri::Partition<N> &>(partition);
        return Owned<Distribution>(new DistributionOf<T, N>(dri::Dist(gdo, cuts, group)));
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
