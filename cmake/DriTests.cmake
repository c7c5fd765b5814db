# How tests are declared. Programs run through scripts/mpirun.sh, which knows how to start MPI anywhere.
set(DRI_MPIRUN ${PROJECT_SOURCE_DIR}/scripts/mpirun.sh)
# Sanitizers look at memory, which more process counts show little more of.
if(DRI_SANITIZE)
    set(DRI_TEST_PROCS 3)
else()
    set(DRI_TEST_PROCS 1 2 3 4 7)
endif()

# Sanitizers: MPI and the libraries below it leave memory behind at their end, so leaks are looked for only in
# programs that never start MPI.
set(DRI_TEST_ENV UBSAN_OPTIONS=print_stacktrace=1)
# Open MPI takes ob1 in the end on a machine without a fast network; to look for one takes longer than most tests.
set(DRI_MPI_TEST_ENV ${DRI_TEST_ENV} ASAN_OPTIONS=detect_leaks=0 OMPI_MCA_pml=ob1)

# The order of tests: those with COST begin first. They are MPI jobs that leave a core idle, and tests without MPI run
# beside them; other MPI jobs take all cores.

# dri_add_mpi_test(name program [PROCS n...] [ARGS ...] [ENV VARIABLE=value...] [LABELS ...] [TIMEOUT seconds])
# Runs a program on each of the process counts: tests mpi.NAME.nN. Only one MPI job runs at a time.
function(dri_add_mpi_test name program)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "PROCS;ARGS;ENV;LABELS")
    if(NOT arg_PROCS)
        set(arg_PROCS ${DRI_TEST_PROCS})
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    foreach(n ${arg_PROCS})
        add_test(NAME mpi.${name}.n${n} COMMAND ${DRI_MPIRUN} -n ${n} $<TARGET_FILE:${program}> ${arg_ARGS})
        set_tests_properties(
            mpi.${name}.n${n}
            PROPERTIES ENVIRONMENT "${DRI_MPI_TEST_ENV};${arg_ENV}"
                       LABELS "mpi;${arg_LABELS}"
                       TIMEOUT ${arg_TIMEOUT}
                       PROCESSORS ${n}
                       RESOURCE_LOCK mpi
        )
    endforeach()
endfunction()

# dri_add_gtest(name label sources...)
# A Google Test program without MPI; each of its suites is a test LABEL.SUITE.
function(dri_add_gtest name label)
    add_executable(${name} ${ARGN})
    target_link_libraries(${name} PRIVATE GTest::gtest_main test_support dri_objects dri_flags)
    set(list ${CMAKE_CURRENT_BINARY_DIR}/${name}_suites.cmake)
    add_custom_command(
        TARGET ${name}
        POST_BUILD
        COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${name}> -D LABEL=${label} -D LIST=${list} -D
                "ENVIRONMENT=${DRI_TEST_ENV}" -P ${PROJECT_SOURCE_DIR}/cmake/list_suites.cmake
        BYPRODUCTS ${list}
        VERBATIM
    )
    file(WRITE ${list}.in "include(\"${list}\" OPTIONAL RESULT_VARIABLE found)
if(NOT found)
    add_test(\"${label}.not_built\" \"${name}_is_not_built\")
endif()
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${list}.in)
endfunction()
