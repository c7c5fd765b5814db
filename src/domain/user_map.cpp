// Calls of a user's functions, and what their failures become.
#include "domain/user_map.hpp"

#include <algorithm>
#include <array>

namespace dri::domain {

UserMap::UserMap(const DRI_Map_ops *ops, int ndims) : ops_{}, ndims_(ndims) {
    if (!ops)
        fail(DRI_ERR_ARG, "ops is NULL");
    if (ops->bytes != sizeof(DRI_Map_ops))
        fail(DRI_ERR_ARG, "ops.bytes is {}, but must be sizeof(DRI_Map_ops), {}", ops->bytes, sizeof(DRI_Map_ops));
    ops_ = *ops;
    name_ = ops->name ? ops->name : "user";
    ops_.name = nullptr;
    if (!ops_.owner)
        fail(DRI_ERR_ARG, "the map '{}' has no function owner", name_);
    if (!ops_.pack != !ops_.unpack)
        fail(DRI_ERR_ARG, "the map '{}' has one of pack and unpack, but not the other", name_);
    for (const void *word : ops_.reserved)
        if (word)
            fail(DRI_ERR_ARG, "the map '{}' has a reserved field that is not NULL", name_);
}

void UserMap::keep_context(void *ctx) {
    const auto destroy = ops_.destroy;
    context_ = std::shared_ptr<void>(ctx, [destroy](void *owned) {
        if (destroy)
            destroy(owned);
    });
}

void UserMap::fail_for(int code, const char *function, bool has_reported) const {
    if (!is_failure(code))
        fail(DRI_ERR_ARG, "the function {} of the map '{}' returned {}, which is no code", function, name_, code);
    if (!has_reported)
        fail(static_cast<DRI_Code>(code), "the function {} of the map '{}' returned {}", function, name_,
             DRI_error_string(code));
    fail(static_cast<DRI_Code>(code), "the function {} of the map '{}' failed: {}", function, name_,
         DRI_error_message());
}

int UserMap::owner(const int64_t index[], int positions) const {
    int position = -1;
    call("owner", [&] { return ops_.owner(context(), index, &position); });
    if (position < 0 || position >= positions)
        fail(DRI_ERR_ARG, "the map '{}' says that {} belongs to position {}, but the group has {}", name_,
             text_of_index({index, static_cast<size_t>(ndims_)}), position, positions);
    return position;
}

std::vector<Ranges> UserMap::local(int position, const Ranges &whole) const {
    const auto dims = static_cast<size_t>(ndims_);
    int64_t most = 16, n = -1;
    std::vector<DRI_Range> flat;
    for (bool is_again = false;; is_again = true) {
        flat.assign(static_cast<size_t>(most) * dims, DRI_Range{});
        call("local", [&] { return ops_.local(context(), position, whole.data(), most, flat.data(), &n); });
        if (n < 0)
            fail(DRI_ERR_ARG, "the function local of the map '{}' says that position {} has {} boxes", name_,
                 position, n);
        if (n <= most)
            break;
        if (is_again) // it could go on like this for ever
            fail(DRI_ERR_MISMATCH,
                 "the function local of the map '{}' says that position {} has {} boxes, then {}", name_, position,
                 most, n);
        most = n;
    }
    std::vector<Ranges> boxes;
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
        Ranges box(flat.data() + i * dims, flat.data() + (i + 1) * dims);
        bool is_inside = true;
        for (size_t d = 0; d < dims; ++d)
            is_inside = is_inside && math::is_range(box[d]) && math::densified(box[d], whole[d]);
        if (!is_inside) {
            const bool all = std::all_of(box.begin(), box.end(), math::is_range);
            fail(DRI_ERR_ARG,
                 "the function local of the map '{}' gives position {} the box {}, which is not inside {}", name_,
                 position, all ? text_of(box) : "of no ranges", text_of(whole));
        }
        if (volume_of(box) > 0)
            boxes.push_back(box);
    }
    return boxes;
}

bool UserMap::equals(const UserMap &other) const {
    if (context() == other.context())
        return ops_.owner == other.ops_.owner;
    if (ops_.owner != other.ops_.owner || name_ != other.name_ || !ops_.equal)
        return false;
    int flag = 0;
    call("equal", [&] { return ops_.equal(context(), other.context(), &flag); });
    return flag != 0;
}

std::string UserMap::text() const {
    if (!ops_.describe)
        return name_;
    std::array<char, 512> text{};
    call("describe", [&] { return ops_.describe(context(), text.data(), text.size()); });
    text.back() = '\0';
    return text.data();
}

std::vector<std::byte> UserMap::pack() const {
    if (!ops_.pack)
        fail(DRI_ERR_UNSUPPORTED, "the map '{}' has no function pack", name_);
    size_t needed = 0;
    call("pack", [&] { return ops_.pack(context(), nullptr, 0, &needed); });
    std::vector<std::byte> bytes(needed);
    if (needed > 0)
        call("pack", [&] { return ops_.pack(context(), bytes.data(), bytes.size(), &needed); });
    if (needed != bytes.size())
        fail(DRI_ERR_MISMATCH, "the function pack of the map '{}' needs {} bytes, then {}", name_, bytes.size(),
             needed);
    return bytes;
}

void UserMap::unpack(const std::vector<std::byte> &bytes) {
    if (!ops_.unpack)
        fail(DRI_ERR_ARG, "the map '{}' has no function unpack", name_);
    void *ctx = nullptr;
    call("unpack", [&] { return ops_.unpack(bytes.data(), bytes.size(), &ctx); });
    keep_context(ctx);
}

} // namespace dri::domain
