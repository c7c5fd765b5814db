# fftw3::float_mpi: FFTW in single precision with its MPI part, which FFTW's own pkg-config file leaves out.
find_package(PkgConfig REQUIRED)

if(NOT TARGET fftw3::float_mpi)
    pkg_check_modules(fftw3f REQUIRED IMPORTED_TARGET fftw3f)
    find_path(FFTW3_MPI_INCLUDE_DIR fftw3-mpi.h HINTS ${fftw3f_INCLUDEDIR} REQUIRED)
    find_library(FFTW3F_MPI_LIBRARY fftw3f_mpi HINTS ${fftw3f_LIBDIR} REQUIRED)
    mark_as_advanced(FFTW3_MPI_INCLUDE_DIR FFTW3F_MPI_LIBRARY)

    add_library(fftw3::float_mpi UNKNOWN IMPORTED)
    set_target_properties(
        fftw3::float_mpi
        PROPERTIES IMPORTED_LOCATION ${FFTW3F_MPI_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${FFTW3_MPI_INCLUDE_DIR}
    )
    target_link_libraries(fftw3::float_mpi INTERFACE PkgConfig::fftw3f MPI::MPI_C)
endif()
