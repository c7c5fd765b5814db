// The rules of one description beside those of its dimensions, and the calls that check it.
#include "dap/dimension.hpp"
#include "dap/faults.hpp"
#include "outer/calls.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace dri::dap {

namespace {

using Findings = std::optional<DRI_Dap_fault>;

bool is_number(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
           (text.size() == 1 || text[0] != '0');
}

Findings version(const DRI_Dap &dap) {
    const size_t length = strnlen(dap.version, sizeof dap.version);
    const std::string_view text(dap.version, length);
    const size_t first = text.find('.'), second = text.find('.', first + 1);
    const bool is_three = first != text.npos && second != text.npos && length < sizeof dap.version &&
                          is_number(text.substr(0, first)) &&
                          is_number(text.substr(first + 1, second - first - 1)) &&
                          is_number(text.substr(second + 1));
    if (text.empty() || (is_three && text.substr(0, first) == "0"))
        return {};
    return make_fault(DRI_DAP_RULE_VERSION, -1, "__version__", 0, 0,
                      "the version is '{}', but must be 0.x.y, such as {}", text, DRI_DAP_VERSION);
}

bool ndims_fit(const DRI_Dap &dap) { return dap.ndims >= 0 && dap.ndims <= DRI_MAX_DIMS; }

Findings buffer(const DRI_Dap &dap) {
    const int64_t *const end = dap.shape + (ndims_fit(dap) ? dap.ndims : 0);
    if (dap.buffer || !ndims_fit(dap) || std::find(dap.shape, end, 0) != end)
        return {};
    return make_fault(DRI_DAP_RULE_BUFFER, -1, "buffer", 0, 0, "the buffer is NULL, but has elements");
}

// The one of the smaller rule. Of equal ones the first.
void keep_smaller(Findings &kept, Findings other) {
    if (other && (!kept || other->rule < kept->rule))
        kept = other;
}

Findings ndim(const DRI_Dap &dap) {
    if (ndims_fit(dap))
        return {};
    return make_fault(DRI_DAP_RULE_NDIM, -1, "dim_data", dap.ndims, DRI_MAX_DIMS,
                      "the number of dimensions is {}, but must be 0 to {}", dap.ndims, int{DRI_MAX_DIMS});
}

Findings negative_extent(const DRI_Dap &dap, int i) {
    if (dap.shape[i] >= 0)
        return {};
    return make_fault(DRI_DAP_RULE_SHAPE, i, "buffer", dap.shape[i], 0, "the buffer has {} elements",
                      dap.shape[i]);
}

} // namespace

Findings fault_of(const DRI_Dap &dap) {
    Findings found;
    if (dap.itemsize == 0)
        found = make_fault(DRI_DAP_RULE_MISSING_KEY, -1, "buffer", 0, 0, "the key buffer is missing");
    for (const auto &rule : {version, buffer, ndim})
        keep_smaller(found, rule(dap));
    for (int i = 0; i < dap.ndims && ndims_fit(dap); ++i) {
        keep_smaller(found, fault_of(dap.dim_data[i], i, dap.shape[i] < 0 ? -1 : dap.shape[i]));
        keep_smaller(found, negative_extent(dap, i));
    }
    return found;
}

Findings fault_of_dims(const DRI_Dap &dap) {
    Findings found = ndim(dap);
    for (int i = 0; i < dap.ndims && ndims_fit(dap); ++i) {
        keep_smaller(found, fault_of(dap.dim_data[i], i, -1));
        if (is_empty_dictionary(dap.dim_data[i]))
            keep_smaller(found, negative_extent(dap, i));
    }
    return found;
}

} // namespace dri::dap

extern "C" {

int DRI_dap_validate(const DRI_Dap *dap, DRI_Dap_fault *fault) {
    return dri::outer::run("DRI_dap_validate", [&] {
        dri::outer::require_pointer(dap, "dap");
        dri::dap::conclude(dri::dap::fault_of(*dap), DRI_ERR_ARG, fault);
    });
}

int DRI_dap_validate_dim(const DRI_Dap_dim *dim, int number, int64_t extent, DRI_Dap_fault *fault) {
    return dri::outer::run("DRI_dap_validate_dim", [&] {
        dri::outer::require_pointer(dim, "dim");
        dri::dap::conclude(dri::dap::fault_of(*dim, number, extent), DRI_ERR_ARG, fault);
    });
}

int DRI_dap_write_out(DRI_Dap *dap) {
    return dri::outer::run("DRI_dap_write_out", [&] {
        dri::outer::require_pointer(dap, "dap");
        if (const auto found = dri::dap::ndim(*dap))
            dri::fail(DRI_ERR_ARG, "{}", found->message);
        for (int i = 0; i < dap->ndims; ++i)
            if (const auto found = dri::dap::negative_extent(*dap, i))
                dri::fail(DRI_ERR_ARG, "{}", found->message);
        for (int i = 0; i < dap->ndims; ++i) {
            DRI_Dap_dim &dim = dap->dim_data[i];
            if (!dri::dap::is_empty_dictionary(dim))
                continue;
            dim.dist_type = 'b';
            dim.keys = dri::dap::needed_keys('b');
            dim.proc_grid_size = 1;
            dim.proc_grid_rank = 0;
            dim.start = 0;
            dim.stop = dim.size = dap->shape[i];
        }
    });
}
}
