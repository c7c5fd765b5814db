# command_line: the command lines of examples and benchmark programs.
if(NOT TARGET command_line)
    find_package(CLI11 REQUIRED)
    set(folder ${PROJECT_SOURCE_DIR}/examples/common)
    add_library(command_line STATIC ${folder}/command_line.cpp)
    target_include_directories(command_line PUBLIC ${folder})
    target_link_libraries(command_line PRIVATE CLI11::CLI11 dri_flags)
    # Reading a command line in no time is not worth the time to compile it so.
    target_compile_options(command_line PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0>)
endif()
