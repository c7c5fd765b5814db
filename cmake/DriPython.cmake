# The Python package: the extension dri._dri, and build/<preset>/python/dri, a package to use without installing.
set(DRI_BUILD_PYTHON AUTO CACHE STRING "Build the Python package: AUTO (if numpy and pybind11 are there), ON, OFF")
set_property(CACHE DRI_BUILD_PYTHON PROPERTY STRINGS AUTO ON OFF)
set(DRI_PYTHON OFF)
if(DRI_BUILD_PYTHON STREQUAL "OFF")
    return()
endif()

# The first interpreter that has numpy and mpi4py. That of PATH may be one without them.
if(NOT DRI_PYTHON_EXECUTABLE)
    find_program(DRI_PYTHON_ON_PATH python3)
    mark_as_advanced(DRI_PYTHON_ON_PATH)
    foreach(candidate ${DRI_PYTHON_ON_PATH} /usr/bin/python3)
        execute_process(
            COMMAND ${candidate} -c "import importlib.util as u, sys; print(sys.executable, end=''); \
sys.exit(not (u.find_spec('numpy') and u.find_spec('mpi4py')))"
            RESULT_VARIABLE missing
            OUTPUT_VARIABLE found
            ERROR_QUIET
        )
        if(missing EQUAL 0)
            set(DRI_PYTHON_EXECUTABLE ${found} CACHE FILEPATH "The interpreter of the Python package and its tests")
            break()
        endif()
    endforeach()
endif()

# dri_python_missing(what): fails with ON, and is a message with AUTO.
macro(dri_python_missing what)
    if(DRI_BUILD_PYTHON STREQUAL "ON")
        message(FATAL_ERROR "The Python package needs ${what}; scripts/setup.sh installs it")
    endif()
    message(STATUS "No Python package: it needs ${what}; scripts/setup.sh installs it")
    return()
endmacro()

if(NOT DRI_PYTHON_EXECUTABLE)
    dri_python_missing("a python3 with numpy and mpi4py")
endif()
set(PYBIND11_FINDPYTHON ON)
set(Python_EXECUTABLE ${DRI_PYTHON_EXECUTABLE})
find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module NumPy)
if(NOT Python_FOUND)
    dri_python_missing("the headers of ${DRI_PYTHON_EXECUTABLE}")
endif()
find_package(pybind11 2.10 QUIET CONFIG)
if(NOT pybind11_FOUND)
    dri_python_missing("pybind11")
endif()
set(DRI_PYTHON ON)

set(DRI_PYTHON_ROOT ${PROJECT_BINARY_DIR}/python)
set(package ${DRI_PYTHON_ROOT}/dri)
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/dri/ext/*.cpp)
pybind11_add_module(dri_python MODULE NO_EXTRAS ${sources})
set_target_properties(
    dri_python
    PROPERTIES OUTPUT_NAME _dri
               LIBRARY_OUTPUT_DIRECTORY ${package}
               CXX_EXTENSIONS OFF
               BUILD_RPATH_USE_ORIGIN ON
)
target_link_libraries(dri_python PRIVATE dri::dri MPI::MPI_C dri_flags)
target_precompile_headers(dri_python PRIVATE ${PROJECT_SOURCE_DIR}/dri/ext/common.hpp)
dri_unite(dri_python first "/ext/[a-e][^/]*$")
dri_unite(dri_python second "/ext/(f|gro|[h-z])[^/]*$")
dri_unite(dri_python third "/ext/graph[^/]*$")
# It only passes numbers on. At -O1 it compiles in half the time and calls take as long.
target_compile_options(dri_python PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)

# It computes. Where a compiler may fuse a product with a sum, results would have other bits than numpy's. g++ 12
# crashes with headers that were precompiled at another level of optimisation.
set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/dri/ext/sums.cpp
    PROPERTIES COMPILE_OPTIONS "-ffp-contract=off;$<$<CONFIG:RelWithDebInfo>:-O3>" SKIP_PRECOMPILE_HEADERS ON
)

# The package's own files are links, so that an edit needs no build.
file(GLOB modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/dri/*.py ${PROJECT_SOURCE_DIR}/dri/*.pyi
     ${PROJECT_SOURCE_DIR}/dri/py.typed
)
file(MAKE_DIRECTORY ${package})
foreach(module ${modules} ${PROJECT_SOURCE_DIR}/dri/graph)
    get_filename_component(name ${module} NAME)
    file(CREATE_LINK ${module} ${package}/${name} SYMBOLIC)
endforeach()
file(GLOB graph_modules CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/dri/graph/*.py)

# Debian's own folder for packages has another name than that of Python.
if(NOT DEFINED DRI_PYTHON_DIR)
    set(folder site-packages)
    if(EXISTS /etc/debian_version)
        set(folder dist-packages)
    endif()
    set(DRI_PYTHON_DIR lib/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}/${folder}
        CACHE PATH "Where the Python package is installed, under the prefix"
    )
endif()
file(RELATIVE_PATH to_library /prefix/${DRI_PYTHON_DIR}/dri /prefix/${CMAKE_INSTALL_LIBDIR})
set_target_properties(dri_python PROPERTIES INSTALL_RPATH "$ORIGIN/lib;$ORIGIN/${to_library}")
install(TARGETS dri_python LIBRARY DESTINATION ${DRI_PYTHON_DIR}/dri COMPONENT python)
install(FILES ${modules} DESTINATION ${DRI_PYTHON_DIR}/dri COMPONENT python)
install(FILES ${graph_modules} DESTINATION ${DRI_PYTHON_DIR}/dri/graph COMPONENT python)
