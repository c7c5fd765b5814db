# How tests are declared. Programs run through scripts/mpirun.sh, which knows how to start MPI anywhere.
set(DRI_MPIRUN ${PROJECT_SOURCE_DIR}/scripts/mpirun.sh)
set(DRI_TEST_PROCS 1 2 3 4 7)
# Sanitizers look at memory, which more process counts show little more of.
set(DRI_SANITIZED_PROCS 3)

# Of the stack of each allocation as much as names the caller of a container: to keep 30 places of it takes a tenth of the
# time.
set(DRI_ASAN_STACKS malloc_context_size=12)
# Sanitizers: MPI and the libraries below it leave memory behind at their end, so leaks are looked for only in
# programs that never start MPI.
set(DRI_TEST_ENV UBSAN_OPTIONS=print_stacktrace=1)
# Open MPI takes ob1 in the end on a machine without a fast network; to look for one takes longer than most tests.
set(DRI_MPI_TEST_ENV ${DRI_TEST_ENV} ASAN_OPTIONS=detect_leaks=0:${DRI_ASAN_STACKS} OMPI_MCA_pml=ob1)

# The order of tests: those with COST begin first. They are MPI jobs that leave a core idle, and tests without MPI run
# beside them; other MPI jobs take all cores.

# dri_add_test_program(name [LIBS ...] [OWN ...] [SANITIZED_OWN ...] SOURCES ...)
# A test program, and with DRI_SANITIZE a second one, NAME_sanitized, of the same objects and the library with sanitizers.
# LIBS: what both link beside the library. OWN, SANITIZED_OWN: sources of the one and of the other alone. What is set for
# compiling is set for the target NAME_objects.
function(dri_add_test_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBS;OWN;SANITIZED_OWN;SOURCES")
    add_library(${name}_objects OBJECT ${arg_SOURCES})
    target_link_libraries(${name}_objects PRIVATE ${arg_LIBS} test_support dri_objects dri_flags)
    add_executable(${name} ${arg_OWN})
    target_link_libraries(${name} PRIVATE ${name}_objects ${arg_LIBS} test_support dri_objects dri_flags)
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
    if(DRI_SANITIZE)
        add_executable(${name}_sanitized ${arg_SANITIZED_OWN})
        target_link_libraries(
            ${name}_sanitized PRIVATE ${name}_objects ${arg_LIBS} test_support dri_sanitized_objects dri_flags
        )
        target_link_options(${name}_sanitized PRIVATE -fsanitize=address,undefined)
        set_target_properties(${name}_sanitized PROPERTIES LINKER_LANGUAGE CXX)
    endif()
endfunction()

# dri_add_mpi_test(name program [PROCS n...] [ARGS ...] [ENV VARIABLE=value...] [LABELS ...] [TIMEOUT seconds])
# Runs a program on each of the process counts: tests mpi.NAME.nN, and sanitized.mpi.NAME.nN of its second one where that
# is there. Only one MPI job runs at a time.
function(dri_add_mpi_test name program)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "PROCS;ARGS;ENV;LABELS")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    set(counts ${DRI_TEST_PROCS})
    set(sanitized_counts ${DRI_SANITIZED_PROCS})
    if(arg_PROCS)
        set(counts ${arg_PROCS})
        set(sanitized_counts ${arg_PROCS})
    endif()
    if(NOT TARGET ${program}_sanitized)
        set(sanitized_counts)
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
    set_tests_properties(
        ${tests} PROPERTIES ENVIRONMENT "${DRI_MPI_TEST_ENV};${arg_ENV}" TIMEOUT ${arg_TIMEOUT} RESOURCE_LOCK mpi
    )
endfunction()

# dri_add_gtest(name label LIBS ... SOURCES ...)
# A Google Test program without MPI; each of its suites is a test LABEL.SUITE, and sanitized.LABEL.SUITE.
function(dri_add_gtest name label)
    dri_add_test_program(${name} ${ARGN})
    foreach(program ${name} ${name}_sanitized)
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
