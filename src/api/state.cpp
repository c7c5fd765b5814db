// The objects of the library in this process: handle tables, the session, built-in types and layouts.
#include "api/state.hpp"

#include "api/called.hpp"
#include "api/forked.hpp"

#include <array>

namespace dri::api {

HandleTable<const model::ElementType> type_handles(HandleKind::type);
HandleTable<const model::Gdo> gdo_handles(HandleKind::gdo);
HandleTable<const model::Partition> part_handles(HandleKind::part);
HandleTable<const model::Group> group_handles(HandleKind::group);
HandleTable<const model::Distribution> dist_handles(HandleKind::dist);
HandleTable<const model::Layout> layout_handles(HandleKind::layout);
HandleTable<commit::Endpoint> endpoint_handles(HandleKind::xfer);

namespace {

std::mutex session_mutex;
NoDestroy<std::shared_ptr<commit::Session>> the_session; // guarded by session_mutex

// A session, during which the library is in use: from before it is made until the last call that uses it has
// released it.
struct SessionInUse {
    const InUse use;
    commit::Session session;
    explicit SessionInUse(const std::function<std::unique_ptr<transport::Transport>()> &make_transport)
        : session(make_transport()) {}
};

// The index of a built-in type is the number of its scalar; that of a complex type is larger by this.
constexpr uint32_t complex_index = 16;
static_assert(static_cast<uint32_t>(Scalar::float64) < complex_index);

constexpr uint64_t own_real(Scalar scalar) {
    return HandleId::encode(HandleKind::type, 0, static_cast<uint32_t>(scalar));
}

constexpr uint64_t own_complex(Scalar scalar) {
    return HandleId::encode(HandleKind::type, 0, complex_index + static_cast<uint32_t>(scalar));
}

constexpr uint64_t own_layout(model::LayoutKind kind) {
    return HandleId::encode(HandleKind::layout, 0, static_cast<uint32_t>(kind));
}

} // namespace

std::shared_ptr<commit::Session> session() {
    require_parent();
    const std::lock_guard lock(session_mutex);
    if (!*the_session)
        fail(DRI_ERR_STATE,
             "the library is not running: this call must come after DRI_init and before DRI_finalize");
    return *the_session;
}

bool session_runs() {
    if (is_forked())
        return false;
    const std::lock_guard lock(session_mutex);
    return *the_session != nullptr;
}

void renew_state_locks() noexcept {
    renew(session_mutex);
    endpoint_handles.renew_lock();
    dist_handles.renew_lock();
    layout_handles.renew_lock();
    group_handles.renew_lock();
    part_handles.renew_lock();
    gdo_handles.renew_lock();
    type_handles.renew_lock();
}

void open_session(const std::function<std::unique_ptr<transport::Transport>()> &make_transport) {
    if (session_runs())
        fail(DRI_ERR_STATE, "the library is running already");
    const auto opened = std::make_shared<SessionInUse>(make_transport);
    const std::lock_guard lock(session_mutex);
    *the_session = std::shared_ptr<commit::Session>(opened, &opened->session);
}

// The session is removed first, so that calls of other threads fail from then on. Endpoints are destroyed before
// the objects that they were made from.
void close_session() {
    const std::shared_ptr<commit::Session> closing = session();
    const auto set = [](std::shared_ptr<commit::Session> value) {
        const std::lock_guard lock(session_mutex);
        *the_session = std::move(value);
    };
    set(nullptr);
    forget_called();
    endpoint_handles.clear();
    dist_handles.clear();
    layout_handles.clear();
    group_handles.clear();
    part_handles.clear();
    gdo_handles.clear();
    type_handles.clear();
    try {
        closing->close();
    } catch (const Error &error) {
        // Missing processes, and those in another call, may still come. The session stays, so that DRI_finalize
        // can be called again.
        if (error.code() == DRI_ERR_TIMEOUT || error.code() == DRI_ERR_MISMATCH)
            set(closing);
        throw;
    }
}

model::ElementType get_type(DRI_Type type) {
    const HandleId id = HandleId::decode(type.id, HandleKind::type);
    if (id.generation != 0)
        return *type_handles.get(type.id);
    const bool complex = id.index >= complex_index;
    const auto scalar = static_cast<Scalar>(complex ? id.index - complex_index : id.index);
    if (scalar < Scalar::int8 || scalar > Scalar::float64 || (complex && !model::has_complex(scalar)))
        fail(DRI_ERR_HANDLE, "the handle is not a valid type");
    return complex ? model::make_complex(scalar) : model::make_real(scalar);
}

model::Layout get_layout(DRI_Layout layout) {
    const HandleId id = HandleId::decode(layout.id, HandleKind::layout);
    if (id.generation != 0)
        return *layout_handles.get(layout.id);
    model::Layout own;
    own.kind = static_cast<model::LayoutKind>(id.index);
    if (own.kind != model::LayoutKind::row_major && own.kind != model::LayoutKind::col_major)
        fail(DRI_ERR_HANDLE, "the handle is not a valid layout");
    return own;
}

std::shared_ptr<commit::Endpoint> get_endpoint(DRI_Xfer xfer) {
    session();
    return endpoint_handles.get(xfer.id);
}

} // namespace dri::api

extern "C" {
using dri::Scalar;
using dri::api::own_complex;
using dri::api::own_layout;
using dri::api::own_real;
using dri::model::LayoutKind;

const DRI_Type DRI_INT8 = {own_real(Scalar::int8)};
const DRI_Type DRI_INT16 = {own_real(Scalar::int16)};
const DRI_Type DRI_INT32 = {own_real(Scalar::int32)};
const DRI_Type DRI_INT64 = {own_real(Scalar::int64)};
const DRI_Type DRI_UINT8 = {own_real(Scalar::uint8)};
const DRI_Type DRI_UINT16 = {own_real(Scalar::uint16)};
const DRI_Type DRI_UINT32 = {own_real(Scalar::uint32)};
const DRI_Type DRI_UINT64 = {own_real(Scalar::uint64)};
const DRI_Type DRI_FLOAT = {own_real(Scalar::float32)};
const DRI_Type DRI_DOUBLE = {own_real(Scalar::float64)};
const DRI_Type DRI_COMPLEX_INT8 = {own_complex(Scalar::int8)};
const DRI_Type DRI_COMPLEX_INT16 = {own_complex(Scalar::int16)};
const DRI_Type DRI_COMPLEX_FLOAT = {own_complex(Scalar::float32)};
const DRI_Type DRI_COMPLEX_DOUBLE = {own_complex(Scalar::float64)};
const DRI_Layout DRI_ROW_MAJOR = {own_layout(LayoutKind::row_major)};
const DRI_Layout DRI_COL_MAJOR = {own_layout(LayoutKind::col_major)};
const DRI_Xfer DRI_XFER_NULL = {0};
}
