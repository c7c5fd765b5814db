// dri: a Memory is moved, never copied
#include <dri/dri.hpp>

namespace copied_memory {

inline void take(dri::Memory<float> &memory) {
    dri::Memory<float> moved = std::move(memory);
    dri::Memory<float> copied = memory; // error
}

} // namespace copied_memory
