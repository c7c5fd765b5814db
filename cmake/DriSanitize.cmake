# What is compiled with AddressSanitizer and UndefinedBehaviorSanitizer: the library's objects, a second time. Errors are
# looked for in the library, also in what it does to the tests' memory. The tests' own objects are linked with either.

# dri_sanitize(target): an object library, whatever the build's type: not optimised, with asserts.
function(dri_sanitize target)
    set_target_properties(${target} PROPERTIES DRI_SANITIZED ON)
    # AddressSanitizer sees null pointers and ends of objects itself; to look at each pointer before it is used, too, costs
    # another third.
    target_compile_options(
        ${target} PRIVATE -O0 -UNDEBUG -g1 -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size
                          -fno-sanitize-recover=all -fno-omit-frame-pointer
    )
    # The kernels of the best instruction set of this machine alone: the others are the same sources, and each costs as
    # much again.
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
