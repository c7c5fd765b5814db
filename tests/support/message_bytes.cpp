#include "support/message_bytes.hpp"

#include "api/state.hpp"

namespace dri::test {

void set_message_bytes(DRI_Xfer xfer, int64_t bytes) {
    dri::api::session()->set_attributes(
        *dri::api::get(xfer), [&](dri::commit::Attributes &attributes) { attributes.message_bytes = bytes; });
}

} // namespace dri::test
