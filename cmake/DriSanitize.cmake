# Compiles the library's objects a second time, with AddressSanitizer and UndefinedBehaviorSanitizer. They find errors
# of the library, also in its accesses to the tests' memory. The tests' own objects are linked with either library.

# dri_sanitize(target): compiles an object library with sanitizers, with asserts and without optimisation, whatever the
# build type is.
function(dri_sanitize target)
    set_target_properties(${target} PROPERTIES DRI_SANITIZED ON)
    # AddressSanitizer itself detects null pointers and accesses beyond an object. Checking each pointer before its use
    # as well would cost another third.
    target_compile_options(
        ${target} PRIVATE -O0 -UNDEBUG -g1 -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size
                          -fno-sanitize-recover=all -fno-omit-frame-pointer
    )
    # Compile the kernels only for the best instruction set of this machine. The others have the same sources, and each
    # would cost as much again.
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_FLAGS -march=native)
    check_cxx_source_compiles("#if !defined(__AVX512BW__) || !defined(__AVX512DQ__) || !defined(__AVX512VL__)
                               #error
                               #endif
                               int main() {}" DRI_HOST_HAS_AVX512)
    unset(CMAKE_REQUIRED_FLAGS)
    target_compile_definitions(
        ${target}
        PRIVATE "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|$<IF:$<BOOL:${DRI_HOST_HAS_AVX512}>,HWY_AVX2,HWY_AVX3>)"
    )
endfunction()
