// Settings that all processes follow alike, whatever the environment of each has. DRI_init agrees on them.
#pragma once

#include <atomic>

namespace dri::inline base {

struct CommonSettings {
    std::atomic<bool> bulk = true;   // false if any process has DRI_BULK=off
    std::atomic<bool> check = false; // true if any process has DRI_CHECK=1
};
inline CommonSettings common_settings;

} // namespace dri::inline base
