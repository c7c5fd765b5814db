// The maximum length of messages, for tests.
#pragma once

#include <dri/xfer.h>

#include <cstdint>

namespace dri::test {

// Sets the maximum length of an endpoint's messages, from 1 byte on. DRI_ATTR_MESSAGE_BYTES has a larger minimum;
// shorter messages cut small arrays into many.
void set_message_bytes(DRI_Xfer xfer, int64_t bytes);

} // namespace dri::test
