# dri_flags: what every target of this project compiles with. Not exported.
add_library(dri_flags INTERFACE)

target_compile_features(dri_flags INTERFACE c_std_99 cxx_std_20)
target_compile_options(dri_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
# GCC before 13 warns of overlapping and overflowing copies inside its own std::string and std::vector once they are
# inlined.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(dri_flags INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
# A file that includes others is no header: what is in their anonymous namespaces is used there alone.
if(DRI_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(dri_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
if(DRI_WERROR)
    target_compile_options(dri_flags INTERFACE -Werror)
endif()

# The library uses MPI's C interface only; the C++ bindings that some mpi.h still drag in do not even
# compile without warnings.
target_compile_definitions(dri_flags INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

# Line numbers of the library suffice for back traces and profiles: see CMakeLists.txt. Full debug information doubles the
# build's size.
if(PROJECT_IS_TOP_LEVEL)
    foreach(language C CXX)
        if(CMAKE_${language}_FLAGS_RELWITHDEBINFO STREQUAL "-O2 -g -DNDEBUG")
            set(CMAKE_${language}_FLAGS_RELWITHDEBINFO "-O3 -DNDEBUG")
        endif()
    endforeach()
endif()

# dri_compile_quickly(sources...)
# For sources that read options or write reports: their libraries are all templates, which optimised take twice
# as long to compile, and nobody waits for them at run time.
function(dri_compile_quickly)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:RelWithDebInfo>:-O0>")
endfunction()

# dri_unite(target group pattern)
# With DRI_UNITY, the target's sources whose names match the pattern are compiled as one file: headers are read and
# templates instantiated once, which is most of a source's time. Names in their anonymous namespaces must differ.
# Sources that no group takes, or that have options of their own, are compiled alone.
function(dri_unite target group pattern)
    if(NOT DRI_UNITY)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "${pattern}")
    set_source_files_properties(${sources} PROPERTIES UNITY_GROUP ${group})
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
