// What sources and sinks have in common: an endpoint of a named transfer on this process.
#pragma once

#include <dri/cpp/buffers.hpp>
#include <dri/cpp/info.hpp>
#include <dri/cpp/memory.hpp>
#include <dri/cpp/options.hpp>
#include <dri/cpp/places.hpp>
#include <dri/cpp/status.hpp>
#include <dri/cpp/xfer_handle.hpp>
#include <dri/view.h>
#include <dri/window.h>

#include <chrono>
#include <string>

namespace dri {
inline namespace v1 {
namespace detail {

// What an endpoint of strips is declared with: of which array, and along which dimension.
template <class T, std::size_t N> struct StripsOf {
    Gdo<T, N> whole;
    int dim;
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
    Dist<T, N> strip(std::int64_t k) const { return detail::strip_of<T, N>(handle(), k); }
    // How many strips an array has, which one is in hand, along which dimension, of which array. Local. Throws
    // DRI_ERR_HANDLE for an empty endpoint. See DRI_xfer_get_strips.
    Strips<T, N> strips() const { return detail::strips_of<T, N>(handle()); }
    // Elements of the local array along dimension d, overlap and pad included; for strips, of the first one.
    std::int64_t extent(int d) const {
        if (d < 0 || d >= static_cast<int>(N))
            detail::fail(DRI_ERR_ARG, "extent(): there is no dimension " + std::to_string(d));
        return places_ ? places_->extents()[static_cast<std::size_t>(d)] : 0;
    }
    // What the endpoint was declared with.
    std::string name() const {
        DRI_Xfer_description description;
        detail::check(DRI_xfer_get_description(handle(), &description, nullptr, nullptr));
        return description.name;
    }
    Layout layout() const {
        DRI_Layout found;
        detail::check(DRI_xfer_get_description(handle(), nullptr, nullptr, &found));
        return Layout::adopt(found);
    }

    // Bytes that each of its buffers has, or must have if it is the program's own; 0 for an empty endpoint. Local,
    // also before the commit. See DRI_xfer_buffer_bytes.
    std::size_t buffer_bytes() const { return *this ? detail::buffer_bytes(handle()) : 0; }

    // Longest wait of the calls that follow; 0 waits for ever. Local, also after the commit. Throws DRI_ERR_ARG
    // for a negative time, and DRI_ERR_STATE while another thread uses the transfer. See DRI_ATTR_TIMEOUT_MS.
    void timeout(std::chrono::milliseconds most) {
        detail::check(DRI_xfer_set_attr(handle(), DRI_ATTR_TIMEOUT_MS, most.count()));
    }

    // The buffer to work on: of a source the one to fill now, of a sink the one extracted last.
    Part<T, N> buffer() const {
        void *address = nullptr;
        detail::check(DRI_xfer_get_buffer(handle(), &address));
        return part_in_hand(address);
    }
    // All buffers, in the order of their use; of a sink of strips, the strips of all stores. A buffer of a source
    // of strips is the strip that is in it, or that goes into it next.
    std::vector<Part<T, N>> buffers() const {
        std::vector<Part<T, N>> parts;
        for (void *const address : addresses())
            parts.push_back(part_of(address, static_cast<std::int64_t>(parts.size())));
        return parts;
    }
    // Buffer i of these.
    Part<T, N> part(int i) const {
        const std::vector<void *> all = addresses();
        if (i < 0 || static_cast<std::size_t>(i) >= all.size())
            detail::fail(DRI_ERR_ARG, "part(): there is no buffer " + std::to_string(i));
        return part_of(all[static_cast<std::size_t>(i)], i);
    }
    // What this process owns of buffer(), each element with its global index.
    Elements<T, N> elements() const { return *this ? buffer().elements() : Elements<T, N>(); }
    // Calls f(at, x) or f(x) for each of these. See Part::forall.
    template <class F> void forall(F &&f) const {
        if (*this)
            buffer().forall(f);
    }
    // What it owns as the C interface describes it, without overlap. See DRI_xfer_get_view.
    DRI_View view() const {
        DRI_View found;
        detail::check(DRI_xfer_get_view(handle(), &found));
        return found;
    }

    // Moves the window, for the frames to come. See DRI_xfer_rebase.
    void rebase(const Index<N> &offset) { detail::check(DRI_xfer_rebase(handle(), detail::pointer(offset))); }
    // Moves the buffer to other memory of the program, a span or a View of T, for the frames to come. Throws
    // DRI_ERR_ARG if it is too small. See DRI_xfer_rebind.
    template <class Buffer> void rebind(Buffer &&buffer) {
        const detail::UserBuffer<T> memory = detail::user_buffer<T>(buffer);
        const std::size_t bytes = detail::buffer_bytes(handle());
        if (static_cast<std::size_t>(memory.size) * sizeof(T) < bytes)
            memory.require(bytes, "rebind(): the buffer");
        detail::check(DRI_xfer_rebind(handle(), memory.data));
    }
    // Keeps the library's buffers, also after the endpoint has ended. Local. See DRI_xfer_keep_buffers.
    Kept<T, N> keep() const { return Kept<T, N>(handle(), places_, buffers()); }

    // Executes one frame of this endpoint alone. False: the stream has ended. See DRI_do.
    bool run() { return detail::check_stream(DRI_do(nullptr, handle())); }
    // The halves of run().
    void start() { detail::check(DRI_start(nullptr, handle())); }
    Status test() {
        int done = 0;
        const int code = DRI_test(nullptr, handle(), &done);
        return detail::status_of(code, done);
    }
    bool wait() { return detail::check_stream(DRI_wait(nullptr, handle())); }

    DRI_Xfer_info info() const { return detail::info_of(handle()); }
    std::vector<DRI_Peer> peers() const { return detail::peers_of(handle()); }
    std::vector<DRI_Frame_times> times() const { return detail::times_of(handle()); }
    std::string explain() const { return detail::plan_of(handle()); }

    // Ends the endpoint now: it is empty then. It throws where the destructor stays silent, and may be repeated.
    // See DRI_xfer_destroy.
    void destroy() {
        xfer_.destroy();
        places_ = nullptr;
        dist_ = Dist<T, N>();
    }

    // The same for a program that ends by a failure: it waits for nobody. See DRI_xfer_abandon.
    void abandon() {
        xfer_.abandon();
        places_ = nullptr;
        dist_ = Dist<T, N>();
    }

    End(const End &) = delete;            // dri: an endpoint is moved, never copied
    End &operator=(const End &) = delete; // dri: an endpoint is moved, never copied

protected:
    End() = default;
    End(End &&) noexcept = default;
    End &operator=(End &&) noexcept = default;
    ~End() = default;

    End(DRI_Role role, const detail::Name &name, const Dist<T, N> &dist, const Options &options,
        const std::vector<detail::UserBuffer<T>> &memory = {}, const detail::StripsOf<T, N> *strips = nullptr)
        : dist_(dist) {
        if (!dist)
            return;
        std::vector<void *> addresses;
        for (const detail::UserBuffer<T> &buffer : memory)
            addresses.push_back(buffer.data);
        const int count = memory.empty() ? options.buffers : static_cast<int>(memory.size());
        void *const *const given = memory.empty() ? nullptr : addresses.data();
        detail::check(strips ? DRI_xfer_create_strips(name.get(), role, strips->whole.handle(), strips->dim,
                                                      dist.handle(), options.layout.handle(), count, given,
                                                      xfer_.out())
                             : DRI_xfer_create(name.get(), role, dist.handle(), options.layout.handle(), count,
                                               given, xfer_.out()));
        detail::check_sizes(handle(), name.get(), memory);
        detail::apply(options, handle());
        places_ = std::make_shared<const detail::Places<T, N>>(handle(), dist, options.layout);
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
        dist.give_up();
        places_ = std::make_shared<const detail::Places<T, N>>(handle, dist_, layout);
        xfer_ = detail::XferHandle(handle);
    }

    // How the part in the buffer to work on lies there, and that part at its address.
    const detail::Placement<T, N> &placement_in_hand() const {
        return places_->of(places_->differ() ? detail::strip_in_hand(handle()) : 0);
    }
    Part<T, N> part_in_hand(void *address) const {
        return Part<T, N>(static_cast<T *>(address), placement_in_hand());
    }
    // The part at the address of some buffer.
    Part<T, N> part_at(void *address) const {
        if (!places_->differ())
            return Part<T, N>(static_cast<T *>(address), places_->of(0));
        const std::vector<void *> all = addresses();
        return part_of(address, std::find(all.begin(), all.end(), address) - all.begin());
    }

private:
    // The part at the address of buffer i. A sink's buffers are strips, a source's take one after the other.
    Part<T, N> part_of(void *address, std::int64_t i) const {
        std::int64_t strip = i;
        if (places_->differ() && is_source()) {
            int n = 0;
            detail::check(DRI_xfer_get_buffers(handle(), &n, nullptr));
            const std::int64_t next = info().frames; // the frame that is handed over next
            strip = next + (i - next % n + n) % n;
        }
        return Part<T, N>(static_cast<T *>(address), places_->of(strip));
    }
    bool is_source() const {
        DRI_Xfer_description description;
        detail::check(DRI_xfer_get_description(handle(), &description, nullptr, nullptr));
        return description.role == DRI_SOURCE;
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

    detail::XferHandle xfer_;
    Dist<T, N> dist_;
    std::shared_ptr<const detail::Places<T, N>> places_; // null: the endpoint is empty
};

} // namespace v1
} // namespace dri
