#include "api/state.hpp"

#include <array>

namespace dri {

HandleTable<const ElementType> type_handles(HandleKind::type);
HandleTable<const Gdo> gdo_handles(HandleKind::gdo);
HandleTable<const Partition> part_handles(HandleKind::part);
HandleTable<const Group> group_handles(HandleKind::group);
HandleTable<const Distribution> dist_handles(HandleKind::dist);
HandleTable<const Layout> layout_handles(HandleKind::layout);
HandleTable<Endpoint> xfer_handles(HandleKind::xfer);

namespace {

std::mutex session_mutex;
std::shared_ptr<Session> the_session;

constexpr uint64_t own_type(ElementKind kind) {
    return HandleId::encode(HandleKind::type, 0, static_cast<uint32_t>(kind));
}

constexpr uint64_t own_layout(LayoutKind kind) {
    return HandleId::encode(HandleKind::layout, 0, static_cast<uint32_t>(kind));
}

} // namespace

std::shared_ptr<Session> session() {
    const std::lock_guard lock(session_mutex);
    if (!the_session)
        fail(DRI_ERR_STATE, "the library does not run: DRI_init comes first, DRI_finalize last");
    return the_session;
}

bool session_runs() {
    const std::lock_guard lock(session_mutex);
    return the_session != nullptr;
}

void open_session(const std::function<std::unique_ptr<Transport>()> &make_transport) {
    if (session_runs())
        fail(DRI_ERR_STATE, "the library runs already");
    auto opened = std::make_shared<Session>(make_transport());
    const std::lock_guard lock(session_mutex);
    the_session = std::move(opened);
}

void close_session() {
    const std::shared_ptr<Session> closing = session();
    const auto set = [](std::shared_ptr<Session> value) {
        const std::lock_guard lock(session_mutex);
        the_session = std::move(value);
    };
    set(nullptr);
    xfer_handles.clear();
    dist_handles.clear();
    layout_handles.clear();
    group_handles.clear();
    part_handles.clear();
    gdo_handles.clear();
    type_handles.clear();
    try {
        closing->close();
    } catch (const Error &error) {
        // Who is missing may still come.
        if (error.code() == DRI_ERR_TIMEOUT)
            set(closing);
        throw;
    }
}

ElementType get_type(DRI_Type type) {
    const HandleId id = HandleId::decode(type.id, HandleKind::type);
    if (id.generation != 0)
        return *type_handles.get(type.id);
    const auto kind = static_cast<ElementKind>(id.place);
    if (kind < ElementKind::int8 || kind > ElementKind::complex_double)
        fail(DRI_ERR_HANDLE, "the type handle names no type");
    return builtin_type(kind);
}

Layout get_layout(DRI_Layout layout) {
    const HandleId id = HandleId::decode(layout.id, HandleKind::layout);
    if (id.generation != 0)
        return *layout_handles.get(layout.id);
    Layout own;
    own.kind = static_cast<LayoutKind>(id.place);
    if (own.kind != LayoutKind::row_major && own.kind != LayoutKind::col_major)
        fail(DRI_ERR_HANDLE, "the layout handle names no layout");
    return own;
}

} // namespace dri

extern "C" {
using dri::ElementKind;
using dri::LayoutKind;
using dri::own_layout;
using dri::own_type;

const DRI_Type DRI_INT8 = {own_type(ElementKind::int8)};
const DRI_Type DRI_INT16 = {own_type(ElementKind::int16)};
const DRI_Type DRI_INT32 = {own_type(ElementKind::int32)};
const DRI_Type DRI_INT64 = {own_type(ElementKind::int64)};
const DRI_Type DRI_UINT8 = {own_type(ElementKind::uint8)};
const DRI_Type DRI_UINT16 = {own_type(ElementKind::uint16)};
const DRI_Type DRI_UINT32 = {own_type(ElementKind::uint32)};
const DRI_Type DRI_UINT64 = {own_type(ElementKind::uint64)};
const DRI_Type DRI_FLOAT = {own_type(ElementKind::float32)};
const DRI_Type DRI_DOUBLE = {own_type(ElementKind::float64)};
const DRI_Type DRI_COMPLEX_INT8 = {own_type(ElementKind::complex_int8)};
const DRI_Type DRI_COMPLEX_INT16 = {own_type(ElementKind::complex_int16)};
const DRI_Type DRI_COMPLEX_FLOAT = {own_type(ElementKind::complex_float)};
const DRI_Type DRI_COMPLEX_DOUBLE = {own_type(ElementKind::complex_double)};
const DRI_Layout DRI_ROW_MAJOR = {own_layout(LayoutKind::row_major)};
const DRI_Layout DRI_COL_MAJOR = {own_layout(LayoutKind::col_major)};
const DRI_Xfer DRI_XFER_NULL = {0};
}
