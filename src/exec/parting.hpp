// How a source goes.
#pragma once

namespace dri::exec {

// It waits until nothing that it has handed over is lost, or takes back what nobody has got in the time it has.
enum class Parting { waits, takes_back };

} // namespace dri::exec
