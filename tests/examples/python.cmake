# The example programs in Python, beside those that tests/python/CMakeLists.txt runs. Each checks its own result. That
# file, which is read before, has dri_python_has.
set(python_examples ${PROJECT_SOURCE_DIR}/examples/python)

# dri_add_python_test(name seconds command...): a test example.python.NAME that imports the package.
function(dri_add_python_test name seconds)
    add_test(NAME example.python.${name} COMMAND ${ARGN})
    set_tests_properties(
        example.python.${name}
        PROPERTIES LABELS "mpi;example;python" TIMEOUT ${seconds}
                   ENVIRONMENT "PYTHONPATH=${DRI_PYTHON_ROOT};PYTHONDONTWRITEBYTECODE=1;${DRI_MPI_TEST_ENV}"
    )
    dri_light_mpi_tests(example.python.${name})
endfunction()

# dri_add_python_example(name processes...): runs examples/python/NAME.py on each number of processes.
function(dri_add_python_example name)
    foreach(n ${ARGN})
        dri_add_python_test(
            ${name}.n${n} 100 ${DRI_MPIRUN} -n ${n} ${DRI_PYTHON_EXECUTABLE} -X dev ${python_examples}/${name}.py
        )
    endforeach()
endfunction()

dri_add_python_example(one_call 1 4)
dri_add_python_example(foreign_arrays 1 2 3 4)
dri_python_has(has_h5py h5py)
if(has_h5py)
    dri_add_python_example(files 1 4)
endif()

dri_python_has(has_matplotlib matplotlib)
if(has_matplotlib)
    dri_add_python_test(
        tour 100 ${DRI_PYTHON_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/python_tour.py ${DRI_MPIRUN}
        ${DRI_PYTHON_EXECUTABLE} ${python_examples}/tour.py ${PROJECT_SOURCE_DIR}/docs/pictures
    )
endif()

dri_python_has(has_scipy scipy)
if(has_scipy AND has_matplotlib AND TARGET sar_image)
    foreach(case same bad_input)
        dri_add_python_test(
            sar_image.${case} 300 ${DRI_PYTHON_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/python_sar_image.py ${case}
            $<TARGET_FILE:sar_image> ${DRI_MPIRUN} ${DRI_PYTHON_EXECUTABLE} ${python_examples}/sar_image.py
            ${DRI_GOTCHA_DIR}
        )
    endforeach()
endif()

if(TARGET bench_python)
    dri_add_python_test(
        bench 200 ${DRI_PYTHON_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/python_bench.py ${DRI_MPIRUN}
        ${DRI_PYTHON_EXECUTABLE} ${PROJECT_SOURCE_DIR}/bench/python/bench.py $<TARGET_FILE_DIR:bench_python>
    )
    set_property(TEST example.python.bench APPEND PROPERTY LABELS all)
endif()
