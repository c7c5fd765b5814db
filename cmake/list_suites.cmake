# Writes one add_test for each suite of the Google Test program PROGRAM into LIST. A process for each case would take
# longer to start than to run. One process for all suites would hide which one failed.
execute_process(
    COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 ${PROGRAM} --gtest_list_tests
    OUTPUT_VARIABLE output
    RESULT_VARIABLE result
)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} --gtest_list_tests failed: ${result}")
endif()

# The name of a suite is at the start of a line and ends with a dot. Its cases are indented.
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+\\." suites "${output}")
set(text "")
foreach(suite ${suites})
    string(REGEX REPLACE "[\n.]" "" suite "${suite}")
    string(APPEND text "add_test(\"${PREFIX}.${suite}\" \"${PROGRAM}\" \"--gtest_filter=${suite}.*\")\n"
           "set_tests_properties(\"${PREFIX}.${suite}\" PROPERTIES LABELS \"${LABELS}\" TIMEOUT 300 COST 5 "
           "ENVIRONMENT \"${ENVIRONMENT}\")\n"
    )
endforeach()
file(WRITE ${LIST} "${text}")
