// Options of an endpoint: its layout, its buffers, and all attributes.
#pragma once

#include <dri/cpp/layout.hpp>
#include <dri/xfer.h>

#include <chrono>
#include <initializer_list>
#include <optional>

namespace dri {
inline namespace v1 {

// A set of dimensions: `{0, 2}`.
class DimSet {
public:
    constexpr DimSet() = default;
    constexpr DimSet(std::initializer_list<int> dims) {
        for (const int dim : dims)
            bits_ |= dim >= 0 && dim < DRI_MAX_DIMS ? std::int64_t{1} << dim : std::int64_t{1} << 62;
    }
    constexpr std::int64_t bits() const { return bits_; } // the sum of 1 << d

private:
    std::int64_t bits_ = 0;
};

// Whether source and sink of a process share their buffers, see DRI_In_place.
enum class InPlace { no = DRI_OUT_OF_PLACE, yes = DRI_IN_PLACE, compact = DRI_IN_PLACE_COMPACT };

// What an endpoint is made with. A member that keeps its default sets nothing. A sink's member on a source, or the
// reverse, throws DRI_ERR_ARG. DRI_Attr has the ranges, and which processes must agree.
struct Options {
    Layout layout{};                   // how the part lies in each buffer
    int buffers = 1;                   // their number; the user's own buffers replace it
    int ways = 0;                      // DRI_ATTR_WAYS: a sum of DRI_Way; 0: all
    std::int64_t message_bytes = 0;    // DRI_ATTR_MESSAGE_BYTES; 0: the library's choice
    int threads = 1;                   // DRI_ATTR_THREADS
    std::int64_t share_bytes = 0;      // DRI_ATTR_SHARE_BYTES; 0: the library's choice
    bool measure = false;              // DRI_ATTR_PLAN: DRI_MEASURE
    std::int64_t workspace_limit = -1; // DRI_ATTR_WORKSPACE_LIMIT; -1: none
    // DRI_ATTR_TIMEOUT_MS. 0: none. Unset: DRI_TIMEOUT, or none.
    std::optional<std::chrono::milliseconds> timeout{};
    bool stream = false;            // DRI_ATTR_STREAM of a source
    bool drop = false;              // DRI_ATTR_ON_FULL of a sink: DRI_DROP
    std::int64_t every = 1;         // DRI_ATTR_EVERY of a sink
    std::int64_t phase = 0;         // DRI_ATTR_PHASE of a sink
    bool progress_thread = false;   // DRI_ATTR_PROGRESS_THREAD
    InPlace in_place = InPlace::no; // DRI_ATTR_IN_PLACE
    DimSet rebase{};                // DRI_ATTR_REBASE: dimensions along which the window slides
    bool rebind = false;            // DRI_ATTR_REBIND: the buffer may move to other memory
    bool convert = false;           // DRI_ATTR_CONVERT of a sink
    double scale = 1;               // DRI_xfer_set_scale of a sink
    // DRI_ATTR_BUFFER_BYTES: none: the endpoint sets it to the size of the program's own buffers.
};

namespace detail {

// Sets what is not a default: set_attr(attribute, value), set_scale(factor). Both return a code.
template <class SetAttr, class SetScale>
void apply(const Options &options, const SetAttr &set_attr, const SetScale &set_scale) {
    const auto set = [&](DRI_Attr attribute, std::int64_t value, std::int64_t unset) {
        if (value != unset)
            check(set_attr(attribute, value));
    };
    set(DRI_ATTR_WAYS, options.ways, 0);
    set(DRI_ATTR_MESSAGE_BYTES, options.message_bytes, 0);
    set(DRI_ATTR_THREADS, options.threads, 1);
    set(DRI_ATTR_SHARE_BYTES, options.share_bytes, 0);
    set(DRI_ATTR_PLAN, options.measure ? DRI_MEASURE : DRI_ESTIMATE, DRI_ESTIMATE);
    set(DRI_ATTR_WORKSPACE_LIMIT, options.workspace_limit, -1);
    if (options.timeout)
        check(set_attr(DRI_ATTR_TIMEOUT_MS, options.timeout->count()));
    set(DRI_ATTR_STREAM, options.stream, 0);
    set(DRI_ATTR_ON_FULL, options.drop ? DRI_DROP : DRI_HOLD, DRI_HOLD);
    set(DRI_ATTR_EVERY, options.every, 1);
    set(DRI_ATTR_PHASE, options.phase, 0);
    set(DRI_ATTR_PROGRESS_THREAD, options.progress_thread, 0);
    set(DRI_ATTR_IN_PLACE, static_cast<std::int64_t>(options.in_place), DRI_OUT_OF_PLACE);
    set(DRI_ATTR_REBASE, options.rebase.bits(), 0);
    set(DRI_ATTR_REBIND, options.rebind, 0);
    set(DRI_ATTR_CONVERT, options.convert, 0);
    if (options.scale != 1)
        check(set_scale(options.scale));
}

inline void apply(const Options &options, DRI_Xfer xfer) {
    apply(
        options,
        [xfer](DRI_Attr attribute, std::int64_t value) { return DRI_xfer_set_attr(xfer, attribute, value); },
        [xfer](double scale) { return DRI_xfer_set_scale(xfer, scale); });
}

} // namespace detail

} // namespace v1
} // namespace dri
