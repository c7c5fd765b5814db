# Functions that declare tests. MPI programs run through scripts/mpirun.sh, which starts MPI on any machine.
set(DRI_MPIRUN ${PROJECT_SOURCE_DIR}/scripts/mpirun.sh)
set(DRI_TEST_PROCS 1 2 3 4 7)
# The sanitizers check memory. Further process counts would hardly find further errors.
set(DRI_SANITIZED_PROCS 3)
# Outer surfaces stand on the core: arrays, graphs, maps, the C++ interface. Without DRI_ALL_TESTS their programs run on
# one process and on a grid of two by two, and without sanitizers. What then does not run has the label `all`.
set(DRI_OUTER_PROCS 1 4)

# Keep 12 stack frames of each allocation: enough to name the caller of a container. Keeping 30 takes a tenth of the
# time.
set(DRI_ASAN_STACKS malloc_context_size=12)
# MPI and the libraries below it do not free all their memory, so leaks are searched only in programs that never start
# MPI.
set(DRI_TEST_ENV UBSAN_OPTIONS=print_stacktrace=1)
# On a machine without a fast network Open MPI chooses ob1 anyway. Its search for such a network takes longer than most
# tests.
set(DRI_MPI_TEST_ENV ${DRI_TEST_ENV} ASAN_OPTIONS=detect_leaks=0:${DRI_ASAN_STACKS} OMPI_MCA_pml=ob1)

# Order of the tests: those with COST start first. An MPI job takes most of its time to start, or waits for a deadline,
# and then leaves cores idle. Such jobs are light: other light jobs and tests without MPI run beside them. All other MPI
# jobs use all cores, one job at a time.

# dri_add_test_program(name [OUTER] [LIBS ...] [OWN ...] [SANITIZED_OWN ...] SOURCES ...)
# Adds a test program. With DRI_SANITIZE, also adds NAME_sanitized: the same objects, linked with the sanitized library;
# with OUTER only if DRI_ALL_TESTS is on.
# LIBS: further libraries of both programs. OWN, SANITIZED_OWN: sources of only the first and only the second program.
# Compile options belong to the target NAME_objects.
function(dri_add_test_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "OUTER" "" "LIBS;OWN;SANITIZED_OWN;SOURCES")
    add_library(${name}_objects OBJECT ${arg_SOURCES})
    target_link_libraries(${name}_objects PRIVATE ${arg_LIBS} test_support dri_objects dri_flags)
    add_executable(${name} ${arg_OWN})
    target_link_libraries(${name} PRIVATE ${name}_objects ${arg_LIBS} test_support dri_objects dri_flags)
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
    if(DRI_SANITIZE AND (DRI_ALL_TESTS OR NOT arg_OUTER))
        add_executable(${name}_sanitized ${arg_SANITIZED_OWN})
        target_link_libraries(
            ${name}_sanitized PRIVATE ${name}_objects ${arg_LIBS} test_support dri_sanitized_objects dri_flags
        )
        target_link_options(${name}_sanitized PRIVATE -fsanitize=address,undefined)
        set_target_properties(${name}_sanitized PROPERTIES LINKER_LANGUAGE CXX)
    endif()
endfunction()

# dri_light_mpi_tests(tests...): marks MPI jobs as light.
function(dri_light_mpi_tests)
    set_tests_properties(${ARGN} PROPERTIES PROCESSORS 1 COST 2)
endfunction()

# dri_add_mpi_test(name program [PROCS n...] [ARGS ...] [ENV VARIABLE=value...] [LABELS ...] [TIMEOUT seconds]
#                  [SANITIZED_PROCS n...] [LIGHT] [NOT_SANITIZED] [OUTER])
# Runs a program on each of the process counts, as tests mpi.NAME.nN. If the program has a sanitized variant, that runs
# as sanitized.mpi.NAME.nN on SANITIZED_PROCS, otherwise on DRI_SANITIZED_PROCS, unless NOT_SANITIZED is given. More than
# two counts do not include these a second time without sanitizers. LIGHT: see above. OUTER: tests an outer surface;
# without DRI_ALL_TESTS it runs without sanitizers, and on DRI_OUTER_PROCS where PROCS are not given.
function(dri_add_mpi_test name program)
    cmake_parse_arguments(PARSE_ARGV 2 arg "LIGHT;NOT_SANITIZED;OUTER" "TIMEOUT" "PROCS;SANITIZED_PROCS;ARGS;ENV;LABELS")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    set(counts ${DRI_TEST_PROCS})
    set(sanitized_counts ${DRI_SANITIZED_PROCS})
    if(arg_PROCS)
        set(counts ${arg_PROCS})
    endif()
    if(arg_SANITIZED_PROCS)
        set(sanitized_counts ${arg_SANITIZED_PROCS})
    endif()
    if(arg_NOT_SANITIZED OR NOT TARGET ${program}_sanitized)
        set(sanitized_counts)
    endif()
    list(LENGTH counts how_many)
    if(how_many GREATER 2 AND sanitized_counts)
        list(REMOVE_ITEM counts ${sanitized_counts})
    endif()
    if(arg_OUTER AND NOT DRI_ALL_TESTS AND NOT arg_PROCS)
        set(counts ${DRI_OUTER_PROCS})
    endif()
    set(tests)
    foreach(n ${counts})
        add_test(NAME mpi.${name}.n${n} COMMAND ${DRI_MPIRUN} -n ${n} $<TARGET_FILE:${program}> ${arg_ARGS})
        set_tests_properties(mpi.${name}.n${n} PROPERTIES PROCESSORS ${n} LABELS "mpi;${arg_LABELS}")
        list(APPEND tests mpi.${name}.n${n})
    endforeach()
    foreach(n ${sanitized_counts})
        add_test(NAME sanitized.mpi.${name}.n${n}
                 COMMAND ${DRI_MPIRUN} -n ${n} $<TARGET_FILE:${program}_sanitized> ${arg_ARGS}
        )
        set_tests_properties(
            sanitized.mpi.${name}.n${n} PROPERTIES PROCESSORS ${n} LABELS "mpi;sanitized;${arg_LABELS}"
        )
        list(APPEND tests sanitized.mpi.${name}.n${n})
    endforeach()
    set_tests_properties(${tests} PROPERTIES ENVIRONMENT "${DRI_MPI_TEST_ENV};${arg_ENV}" TIMEOUT ${arg_TIMEOUT})
    if(arg_OUTER)
        set(more ${tests})
        set(kept ${arg_PROCS})
        if(NOT kept)
            set(kept ${DRI_OUTER_PROCS})
        endif()
        list(TRANSFORM kept PREPEND mpi.${name}.n)
        list(REMOVE_ITEM more ${kept})
        foreach(test ${more})
            set_property(TEST ${test} APPEND PROPERTY LABELS all)
        endforeach()
    endif()
    if(arg_LIGHT)
        dri_light_mpi_tests(${tests})
    else()
        set_tests_properties(${tests} PROPERTIES RESOURCE_LOCK mpi)
    endif()
endfunction()

# dri_add_gtest(name label [RUNS_ONCE] LIBS ... SOURCES ...)
# Adds a Google Test program without MPI. Each of its suites is a test LABEL.SUITE, and with DRI_SANITIZE also
# sanitized.LABEL.SUITE. RUNS_ONCE: with DRI_SANITIZE the first is neither built nor run.
function(dri_add_gtest name label)
    cmake_parse_arguments(PARSE_ARGV 2 arg "RUNS_ONCE" "" "")
    dri_add_test_program(${name} ${arg_UNPARSED_ARGUMENTS})
    set(programs ${name} ${name}_sanitized)
    if(arg_RUNS_ONCE AND DRI_SANITIZE)
        list(REMOVE_ITEM programs ${name})
        set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    endif()
    foreach(program ${programs})
        if(NOT TARGET ${program})
            continue()
        endif()
        set(prefix)
        set(labels ${label})
        if(NOT program STREQUAL name)
            set(prefix sanitized.)
            set(labels "${label}\\;sanitized")
        endif()
        string(JOIN "\\;" environment ${DRI_TEST_ENV} ASAN_OPTIONS=${DRI_ASAN_STACKS})
        set(list ${CMAKE_CURRENT_BINARY_DIR}/${program}_suites.cmake)
        add_custom_command(
            TARGET ${program}
            POST_BUILD
            COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${program}> -D PREFIX=${prefix}${label} -D LABELS=${labels}
                    -D LIST=${list} -D "ENVIRONMENT=${environment}" -P ${PROJECT_SOURCE_DIR}/cmake/list_suites.cmake
            BYPRODUCTS ${list}
            VERBATIM
        )
        file(WRITE ${list}.in "include(\"${list}\" OPTIONAL RESULT_VARIABLE found)
if(NOT found)
    add_test(\"${prefix}${label}.not_built\" \"${program}_is_not_built\")
endif()
")
        set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${list}.in)
    endforeach()
endfunction()
