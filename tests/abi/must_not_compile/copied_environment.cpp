// dri: an Environment is moved, never copied
#include <dri/dri.hpp>

namespace copied_environment {

inline void take(dri::Environment &env) {
    dri::Environment moved = std::move(env);
    dri::Environment copied = env; // error
}

} // namespace copied_environment
