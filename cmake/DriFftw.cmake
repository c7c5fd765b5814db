# fftw3::float_mpi and fftw3::double_mpi: FFTW with its MPI part. FFTW's own pkg-config files leave that out.
find_package(PkgConfig REQUIRED)

foreach(precision float double)
    if(TARGET fftw3::${precision}_mpi)
        continue()
    endif()
    if(precision STREQUAL "float")
        set(stem fftw3f)
    else()
        set(stem fftw3)
    endif()
    pkg_check_modules(${stem} REQUIRED IMPORTED_TARGET ${stem})
    find_path(FFTW3_MPI_INCLUDE_DIR fftw3-mpi.h HINTS ${${stem}_INCLUDEDIR} REQUIRED)
    find_library(${stem}_MPI_LIBRARY ${stem}_mpi HINTS ${${stem}_LIBDIR} REQUIRED)
    add_library(fftw3::${precision}_mpi UNKNOWN IMPORTED)
    set_target_properties(
        fftw3::${precision}_mpi
        PROPERTIES IMPORTED_LOCATION ${${stem}_MPI_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${FFTW3_MPI_INCLUDE_DIR}
    )
    target_link_libraries(fftw3::${precision}_mpi INTERFACE PkgConfig::${stem} MPI::MPI_C)
    mark_as_advanced(FFTW3_MPI_INCLUDE_DIR ${stem}_MPI_LIBRARY)
endforeach()
