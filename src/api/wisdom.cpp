// The calls of wisdom.h: measured kernel choices as text.
#include "api/guard.hpp"
#include "api/state.hpp"

#include <cstring>

extern "C" {

// Unlike the texts of explain and describe, wisdom is never cut, because half a line cannot be read back. The size
// may grow between a call for the size and a call for the text, if another thread commits meanwhile.
int DRI_wisdom_export(char *text, size_t n, size_t *needed) {
    return dri::api::guard("DRI_wisdom_export", [&] {
        const auto session = dri::api::session();
        const std::string all = session->kernels().wisdom();
        const size_t bytes = all.size() + 1;
        if (needed)
            *needed = bytes;
        if (!text) {
            dri::api::require_pointer(needed, "text is NULL and needed");
            if (n > 0)
                dri::fail(DRI_ERR_ARG, "text is NULL, but n is {}", n);
            return;
        }
        if (n < bytes)
            dri::fail(DRI_ERR_ARG, "n is {}, but the text of the wisdom needs {} bytes", n, bytes);
        std::memcpy(text, all.c_str(), bytes);
    });
}

int DRI_wisdom_import(const char *text) {
    return dri::api::guard("DRI_wisdom_import", [&] {
        const auto session = dri::api::session();
        dri::api::require_pointer(text, "text");
        // All lines are added or none.
        session->kernels().add_wisdom(text);
    });
}
}
