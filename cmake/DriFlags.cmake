# dri_flags: the compile options of every target of this project. Not exported.
add_library(dri_flags INTERFACE)

target_compile_features(dri_flags INTERFACE c_std_99 cxx_std_20)
target_compile_options(dri_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
# GCC before 13 warns of overlapping and overflowing copies inside its own std::string and std::vector once they are
# inlined.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(dri_flags INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
# In a unity build one file includes other sources. GCC takes them for headers and warns of their anonymous namespaces.
if(DRI_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(dri_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
if(DRI_WERROR)
    target_compile_options(dri_flags INTERFACE -Werror)
endif()

# The library uses only the C interface of MPI. Some mpi.h still include the C++ bindings, which do not compile without
# warnings.
target_compile_definitions(dri_flags INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

# Line numbers of the library are enough for back traces and profiles (-g1 in CMakeLists.txt). Full debug information
# doubles the size of the build.
if(PROJECT_IS_TOP_LEVEL)
    foreach(language C CXX)
        if(CMAKE_${language}_FLAGS_RELWITHDEBINFO STREQUAL "-O2 -g -DNDEBUG")
            set(CMAKE_${language}_FLAGS_RELWITHDEBINFO "-O3 -DNDEBUG")
        endif()
    endforeach()
endif()

# GCC collects garbage once it uses 128 MB, and almost every file of this project needs more. Without collections it
# compiles in nine tenths of the time, in at most 1.2 GB for a file.
cmake_host_system_information(RESULT DRI_HOST_MEMORY QUERY TOTAL_PHYSICAL_MEMORY)
cmake_host_system_information(RESULT DRI_HOST_CORES QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR DRI_JOB_MEMORY "${DRI_HOST_MEMORY} / (${DRI_HOST_CORES} + 2)") # ninja's number of jobs
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND DRI_JOB_MEMORY GREATER 1500)
    target_compile_options(dri_flags INTERFACE --param=ggc-min-heapsize=1000000)
endif()

# dri_compile_quickly(sources...)
# For sources that read options or write reports. Their libraries are all templates, which take twice as long to compile
# with optimisation, and their run time does not matter.
function(dri_compile_quickly)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:RelWithDebInfo>:-O0>")
endfunction()

# dri_unite(target group pattern)
# With DRI_UNITY, the target's sources whose names match the pattern are compiled as one file. Headers are then read and
# templates instantiated once, which otherwise takes most of the compile time of a source. Names in their anonymous
# namespaces must differ. Sources in no group, or with options of their own, are compiled alone.
function(dri_unite target group pattern)
    if(NOT DRI_UNITY)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "${pattern}")
    set_source_files_properties(${sources} PROPERTIES UNITY_GROUP ${group})
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
