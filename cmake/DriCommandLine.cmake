# command_line: a library that reads the command lines of examples and benchmark programs.
if(NOT TARGET command_line)
    find_package(CLI11 REQUIRED)
    set(folder ${PROJECT_SOURCE_DIR}/examples/common)
    add_library(command_line STATIC ${folder}/command_line.cpp)
    target_include_directories(command_line PUBLIC ${folder})
    target_link_libraries(command_line PRIVATE CLI11::CLI11 dri_flags)
    # The speed of reading a command line is not worth the compile time of optimisation.
    target_compile_options(command_line PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0>)
endif()
