// What is to be done when the library ends, for modules that the others do not know.
#pragma once

namespace dri::inline base {

// Has the function called whenever the library has ended and its own objects are destroyed. The function must not
// throw. Call it from the constructor of a static object.
void at_end(void (*function)());
// Calls all of these functions.
void run_at_end() noexcept;

} // namespace dri::inline base
