# Writes into LIST one add_test for each suite of the Google Test program PROGRAM. One process for each case would
# take longer to start than to run; one for all would hide which part failed.
execute_process(
    COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 ${PROGRAM} --gtest_list_tests
    OUTPUT_VARIABLE output
    RESULT_VARIABLE result
)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} --gtest_list_tests failed: ${result}")
endif()

# A suite stands at the beginning of a line and ends with a dot; its cases are indented.
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
