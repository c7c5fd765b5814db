# What `cmake --install` installs: headers, libdri.so, the CMake package and libdri.pc.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(DRI_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/dri)

install(TARGETS dri EXPORT dri-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/dri DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(EXPORT dri-targets NAMESPACE dri:: DESTINATION ${DRI_CMAKE_DIR})

# While the version is 0.x, a new minor version may change the interface.
configure_package_config_file(
    cmake/dri-config.cmake.in ${PROJECT_BINARY_DIR}/dri-config.cmake INSTALL_DESTINATION ${DRI_CMAKE_DIR}
)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dri-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dri-config.cmake ${PROJECT_BINARY_DIR}/dri-config-version.cmake
        DESTINATION ${DRI_CMAKE_DIR}
)

# The relative path from the .pc file to the prefix, so that the installed tree can be moved.
file(RELATIVE_PATH DRI_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" DRI_PC_PREFIX ${DRI_PC_PREFIX})
configure_file(cmake/libdri.pc.in ${PROJECT_BINARY_DIR}/libdri.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/libdri.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
