// The calls of group.h: agreement and small exchanges.
#include "api/arrays.hpp"
#include "api/state.hpp"
#include "commit/gather.hpp"

#include <algorithm>
#include <string>

namespace dri::api {

namespace {

// The user's bytes, and the code with which all shall return.
commit::Brought brought(int code, const void *mine, int64_t bytes, const void *all, int64_t capacity) {
    if (code != DRI_SUCCESS && code != DRI_END_OF_STREAM && !is_failure(code))
        fail(DRI_ERR_ARG, "code is {}, which is none of DRI_Code", code);
    if (code != DRI_SUCCESS) {
        const std::string reason = last_error_message();
        throw Error(static_cast<DRI_Code>(code), DRI_error_string(code) + (reason.empty() ? "" : ": " + reason));
    }
    if (bytes < 0)
        fail(DRI_ERR_ARG, "bytes is {}, but must be at least 0", bytes);
    if (capacity < 0)
        fail(DRI_ERR_ARG, "capacity is {}, but must be at least 0", capacity);
    checked_array(static_cast<const std::byte *>(all), static_cast<size_t>(capacity), "all");
    return {checked_array(static_cast<const std::byte *>(mine), static_cast<size_t>(bytes), "mine"), capacity};
}

} // namespace

} // namespace dri::api

extern "C" {

int DRI_group_gather(DRI_Group group, int code, const void *mine, int64_t bytes, int64_t sizes[], void *all,
                     int64_t capacity) {
    return dri::api::guard("DRI_group_gather", [&] {
        const auto session = dri::api::session();
        const dri::commit::GatheredBytes gathered = session->gather(
            *dri::api::get(group), [&] { return dri::api::brought(code, mine, bytes, all, capacity); });
        if (sizes)
            std::copy(gathered.sizes.begin(), gathered.sizes.end(), sizes);
        dri::commit::require_capacity(gathered);
        std::copy(gathered.all.begin(), gathered.all.end(), static_cast<std::byte *>(all));
    });
}
}
