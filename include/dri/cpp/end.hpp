// What sources and sinks have in common: an endpoint of a named transfer on this process.
#pragma once

#include <dri/cpp/elements.hpp>
#include <dri/cpp/info.hpp>
#include <dri/cpp/options.hpp>
#include <dri/stream.h>
#include <dri/strips.h>
#include <dri/window.h>

#include <initializer_list>
#include <limits>
#include <optional>

namespace dri {
inline namespace v1 {
namespace detail {

// Memory of the user for one buffer.
template <class T> struct Memory {
    T *data;
    std::int64_t size; // elements from there on
};

// Whether X is a View, or made of one, such as a Part.
template <class X> inline constexpr bool is_view = requires(const X &x) {
    []<class T, std::size_t N>(const View<T, N> &) {}(x);
};

// Adds the buffers: a span, a View, anything with data() and size(), or a range of these.
template <class T, class Buffers> void add_memory(std::vector<Memory<T>> &list, Buffers &buffers) {
    using Given = std::remove_cv_t<Buffers>;
    if constexpr (is_view<Given>) {
        static_assert(std::is_same_v<typename Given::element_type, T>,
                      "dri: the buffers of an endpoint are spans or Views of its own element type");
        std::int64_t reach = 1;
        for (std::size_t d = 0; d < buffers.extents().size(); ++d) {
            if (buffers.strides()[d] < 0)
                fail(DRI_ERR_ARG, "a buffer is a View with a negative stride");
            reach += (buffers.extents()[d] - 1) * buffers.strides()[d];
        }
        list.push_back({buffers.data(), buffers.size() > 0 ? reach : 0});
    } else if constexpr (requires { std::data(buffers) + std::size(buffers); }) {
        using Content = std::remove_pointer_t<decltype(std::data(buffers))>;
        if constexpr (is_view<std::remove_cv_t<Content>> ||
                      (!std::is_same_v<std::remove_cv_t<Content>, T> && requires(Content & c) {
                          std::data(c);
                          std::size(c);
                      })) {
            for (auto &buffer : buffers)
                add_memory<T>(list, buffer);
        } else {
            static_assert(std::is_same_v<Content, T>,
                          "dri: the buffers of an endpoint are spans or Views of its own element type");
            list.push_back({std::data(buffers), static_cast<std::int64_t>(std::size(buffers))});
        }
    } else {
        static_assert(never<Buffers>,
                      "dri: the buffers of an endpoint are spans or Views of its own element type");
    }
}

// needed: false on processes whose endpoint is empty.
template <class T, class Buffers> std::vector<Memory<T>> memory_of(Buffers &buffers, bool needed) {
    std::vector<Memory<T>> list;
    add_memory<T>(list, buffers);
    if (needed && list.empty())
        fail(DRI_ERR_ARG, "the list of buffers is empty; without a list the library provides them");
    return list;
}

// The strips of an endpoint: of which array, and along which dimension.
template <class T, std::size_t N> struct Strips {
    Gdo<T, N> whole;
    int dim;
};

// The name of a transfer for a call. It copies nothing.
class Name {
public:
    Name(const char *name) : name_(name) {}
    Name(const std::string &name) : name_(name.c_str()) {}
    const char *get() const { return name_; }

private:
    const char *name_;
};

} // namespace detail

// An endpoint of a named transfer on this process: what a Source and a Sink have in common.
template <class T, std::size_t N> class End : detail::Dims<N>, detail::Elementary<T> {
public:
    DRI_Xfer handle() const noexcept { return xfer_.get(); }
    // False for an endpoint of an empty distribution. Its range of elements is empty, its extents are 0, and calls
    // that move a frame fail with DRI_ERR_HANDLE.
    explicit operator bool() const noexcept { return handle().id != 0; }

    // The distribution that the endpoint was made of; for strips, that of the first one.
    const Dist<T, N> &dist() const noexcept { return dist_; }
    // The distribution of strip k.
    Dist<T, N> strip(std::int64_t k) const { return strip_of(handle(), k); }
    // Elements of the local array along dimension d, overlap and pad included.
    std::int64_t extent(int d) const {
        return placement_ ? placement_->extents.at(static_cast<std::size_t>(d)) : 0;
    }

    // The buffer to work on: of a source the one to fill now, of a sink the one extracted last.
    Part<T, N> buffer() const {
        void *address = nullptr;
        detail::check(DRI_xfer_get_buffer(handle(), &address));
        return part_at(address, 0);
    }
    // All buffers, in the order of their use; of a sink of strips, the strips of all stores.
    std::vector<Part<T, N>> buffers() const {
        std::vector<Part<T, N>> parts;
        for (void *const address : addresses())
            parts.push_back(
                Part<T, N>(static_cast<T *>(address), placement(static_cast<std::int64_t>(parts.size()))));
        return parts;
    }
    // Buffer i of these.
    Part<T, N> part(int i) const {
        const std::vector<void *> all = addresses();
        if (i < 0 || static_cast<std::size_t>(i) >= all.size())
            detail::fail(DRI_ERR_ARG, "part(): there is no buffer " + std::to_string(i));
        return Part<T, N>(static_cast<T *>(all[static_cast<std::size_t>(i)]), placement(i));
    }
    // What this process owns of buffer(), each element with its global index.
    Elements<T, N> elements() const { return *this ? buffer().elements() : Elements<T, N>(); }

    // Moves the window, for the frames to come. See DRI_xfer_rebase.
    void rebase(const Index<N> &offset) { detail::check(DRI_xfer_rebase(handle(), detail::pointer(offset))); }

    // Executes one frame of this endpoint alone. False: the stream has ended. See DRI_do.
    bool run() { return is_done(detail::check_stream(DRI_do(nullptr, handle()))); }
    // The halves of run(). test() is true if the frame is complete, and empty if the stream has ended.
    void start() {
        detail::check(DRI_start(nullptr, handle()));
        started_ = true;
    }
    std::optional<bool> test() {
        int done = 0;
        const bool more = detail::check_stream(DRI_test(nullptr, handle(), &done));
        return more ? std::optional(is_done(done == 1)) : std::nullopt;
    }
    bool wait() { return is_done(detail::check_stream(DRI_wait(nullptr, handle()))); }

    DRI_Xfer_info info() const { return detail::info_of(handle()); }
    std::vector<DRI_Peer> peers() const { return detail::peers_of(handle()); }
    std::vector<DRI_Frame_times> times() const { return detail::times_of(handle()); }
    std::string explain() const { return detail::plan_of(handle()); }

    End(const End &) = delete;            // dri: an endpoint is moved, never copied
    End &operator=(const End &) = delete; // dri: an endpoint is moved, never copied

protected:
    End() = default;
    End(End &&) noexcept = default;
    End &operator=(End &&) noexcept = default;
    ~End() = default;

    End(DRI_Role role, const std::string &name, const Dist<T, N> &dist, const Options &options,
        const std::vector<detail::Memory<T>> &memory = {}, const detail::Strips<T, N> *strips = nullptr)
        : dist_(dist) {
        if (!dist)
            return;
        std::vector<void *> addresses;
        for (const detail::Memory<T> &buffer : memory)
            addresses.push_back(buffer.data);
        const int count = memory.empty() ? options.buffers : static_cast<int>(memory.size());
        void *const *const given = memory.empty() ? nullptr : addresses.data();
        detail::check(strips ? DRI_xfer_create_strips(name.c_str(), role, strips->whole.handle(), strips->dim,
                                                      dist.handle(), options.layout.handle(), count, given,
                                                      xfer_.out())
                             : DRI_xfer_create(name.c_str(), role, dist.handle(), options.layout.handle(), count,
                                               given, xfer_.out()));
        check_sizes(name, memory);
        detail::apply(options, handle());
        placement_ = std::make_unique<detail::Placement<T, N>>(dist, options.layout);
        if (strips)
            prepare_strips(*strips, options.layout);
    }

    // Takes over a handle of the C interface. Until it is known to fit, it stays the caller's.
    End(DRI_Role role, DRI_Xfer handle) {
        DRI_Xfer_description description;
        detail::Owned<DRI_Dist, DRI_dist_destroy> dist;
        DRI_Layout given;
        detail::check(DRI_xfer_get_description(handle, &description, dist.out(), &given));
        const Layout layout = Layout::adopt(given);
        if (description.role != role)
            detail::fail(DRI_ERR_ARG, std::string("adopt(): the endpoint of '") + description.name + "' is a " +
                                          (role == DRI_SOURCE ? "sink" : "source"));
        dist_ = Dist<T, N>::adopt(dist.get());
        *dist.out() = DRI_Dist{}; // it is the other one's now
        placement_ = std::make_unique<detail::Placement<T, N>>(dist_, layout);
        std::int64_t strips = 0;
        detail::Owned<DRI_Gdo, DRI_gdo_destroy> whole;
        int dim = 0;
        detail::check(DRI_xfer_get_strips(handle, &strips, nullptr, &dim, whole.out()));
        if (strips > 1) {
            const auto array = Gdo<T, N>::adopt(whole.get());
            *whole.out() = DRI_Gdo{};
            strips_ = strips;
            if (array.sizes()[static_cast<std::size_t>(dim)] % dist_.sizes()[static_cast<std::size_t>(dim)] != 0)
                last_placement_ = std::make_unique<detail::Placement<T, N>>(strip_of(handle, strips - 1), layout);
        }
        xfer_ = detail::Owned<DRI_Xfer, DRI_xfer_destroy>(handle);
    }

    // The part at an address that the library has returned. ahead: of a source, how many buffers the caller holds
    // that are handed over before this one.
    Part<T, N> part_at(void *address, std::int64_t ahead) const {
        std::int64_t strip = 0;
        if (last_placement_) // of strips, of which the last one is shorter
            detail::check(DRI_xfer_get_strips(handle(), nullptr, &strip, nullptr, nullptr));
        return Part<T, N>(static_cast<T *>(address), placement(strip + ahead));
    }

    // Notes that a started frame is complete. At the end of a stream it stays started.
    bool is_done(bool done) {
        started_ = started_ && !done;
        return done;
    }

    bool started_ = false; // by start() or by a range of frames, and not complete

private:
    static Dist<T, N> strip_of(DRI_Xfer xfer, std::int64_t k) {
        DRI_Dist dist;
        detail::check(DRI_xfer_get_strip(xfer, k, &dist));
        return Dist<T, N>::adopt(dist);
    }

    void check_sizes(const std::string &name, const std::vector<detail::Memory<T>> &memory) const {
        std::size_t bytes = 0;
        detail::check(DRI_xfer_buffer_bytes(handle(), &bytes));
        for (std::size_t i = 0; i < memory.size(); ++i)
            if (static_cast<std::size_t>(memory[i].size) * sizeof(T) < bytes)
                detail::fail(DRI_ERR_ARG,
                             "transfer '" + name + "': buffer " + std::to_string(i) + " has " +
                                 std::to_string(static_cast<std::size_t>(memory[i].size) * sizeof(T)) +
                                 " bytes, but needs " + std::to_string(bytes));
        // In place a buffer may need more, which the commit finds out.
        std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
        for (const detail::Memory<T> &buffer : memory)
            smallest = std::min(smallest, buffer.size * static_cast<std::int64_t>(sizeof(T)));
        if (!memory.empty())
            detail::check(DRI_xfer_set_attr(handle(), DRI_ATTR_BUFFER_BYTES, smallest));
    }

    // The last strip may be shorter than the others. Then it lies in another way.
    void prepare_strips(const detail::Strips<T, N> &strips, const Layout &layout) {
        const auto dim = static_cast<std::size_t>(strips.dim);
        const std::int64_t all = strips.whole.sizes()[dim], one = dist_.sizes()[dim];
        strips_ = (all + one - 1) / one;
        if (all % one != 0)
            last_placement_ = std::make_unique<detail::Placement<T, N>>(strip(strips_ - 1), layout);
    }

    const detail::Placement<T, N> &placement(std::int64_t strip) const {
        return last_placement_ && strip % strips_ == strips_ - 1 ? *last_placement_ : *placement_;
    }

    std::vector<void *> addresses() const {
        if (!*this)
            return {};
        int n = 0;
        detail::check(DRI_xfer_get_buffers(handle(), &n, nullptr));
        std::vector<void *> found(static_cast<std::size_t>(n));
        detail::check(DRI_xfer_get_buffers(handle(), nullptr, found.data()));
        return found;
    }

    detail::Owned<DRI_Xfer, DRI_xfer_destroy> xfer_;
    Dist<T, N> dist_;
    std::unique_ptr<detail::Placement<T, N>> placement_;
    // Of strips alone, if the last one is shorter:
    std::unique_ptr<detail::Placement<T, N>> last_placement_;
    std::int64_t strips_ = 1;
};

// Executes one frame of every endpoint of that name that this process holds. False: the stream has ended. See
// DRI_do.
inline bool run(detail::Name name) { return detail::check_stream(DRI_do(name.get(), DRI_XFER_NULL)); }

// The halves of run(). test() is true if the frame is complete, and empty if the stream has ended.
inline void start(detail::Name name) { detail::check(DRI_start(name.get(), DRI_XFER_NULL)); }

inline std::optional<bool> test(detail::Name name) {
    int done = 0;
    if (!detail::check_stream(DRI_test(name.get(), DRI_XFER_NULL, &done)))
        return std::nullopt;
    return done == 1;
}

inline bool wait(detail::Name name) { return detail::check_stream(DRI_wait(name.get(), DRI_XFER_NULL)); }

} // namespace v1
} // namespace dri
