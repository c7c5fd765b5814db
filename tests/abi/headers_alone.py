#!/usr/bin/env python3
"""Each public header compiles alone: those of C as C99 and as C++, those of C++ as C++20, dri.hpp and
dri_mpi.hpp with each compiler. dri.h and dri.hpp compile without MPI's include folder.

What a header includes before all else is compiled as if it were alone, so it needs no run of its own. A run takes a
second for the system's headers.

usage: headers_alone.py WHICH C_COMPILER CXX_COMPILER INCLUDE_FOLDER MPI_INCLUDE_FOLDERS CXX20_COMPILERS...

WHICH is interface, the headers of dri/, or parts, those of dri/cpp/, which dri.hpp includes.
"""

import re
import subprocess
import sys
from pathlib import Path

WARNINGS = ["-Wall", "-Wextra", "-pedantic-errors", "-Wconversion", "-Wshadow", "-Wstrict-prototypes", "-Werror"]
CXX_WARNINGS = [flag for flag in WARNINGS if flag != "-Wstrict-prototypes"]


def begins_with(folder, header):
    """The header of the same folder that this one of C++ includes before any code, or None."""
    text = re.sub(r"//.*", "", Path(folder, header).read_text())
    found = re.match(r"\s*#pragma once\s*#include <(dri/cpp/\w+\.hpp)>", text)
    return found[1] if found and header.startswith("dri/cpp/") else None


def main(which, c_compiler, cxx_compiler, folder, mpi_folders, *cxx20_compilers):
    paths = [*Path(folder).rglob("*.h"), *Path(folder).rglob("*.hpp")]
    headers = sorted(path.relative_to(folder).as_posix() for path in paths)
    assert {"dri/dri.h", "dri/dri.hpp"} <= set(headers), headers
    of_c = [[c_compiler, "-std=c99", "-xc", *WARNINGS], [cxx_compiler, "-std=c++11", "-xc++", *CXX_WARNINGS]]
    of_cpp = [[compiler, "-std=c++20", "-xc++", *CXX_WARNINGS] for compiler in cxx20_compilers]
    first = {header: begins_with(folder, header) for header in headers}
    faults, compiled = [], 0
    for header in headers:
        if header in first.values() or header.startswith("dri/cpp/") != (which == "parts"):
            continue
        begun = [header]
        while first[begun[-1]]:
            begun.append(first[begun[-1]])
        compiled += len(begun)
        mpi = []
        if header.startswith("dri/dri_mpi.h"):
            mpi = [word for path in mpi_folders.split(",") for word in ("-isystem", path)]
            mpi += ["-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
        of_face = of_cpp[-1:] if header.startswith("dri/cpp/") else of_cpp
        for compiler in of_face if header.endswith(".hpp") else of_c:
            command = [*compiler, "-fsyntax-only", "-I", folder, *mpi, "-"]
            # Again: the include guards are tested as well. The declaration keeps a translation unit from being empty.
            again = "".join(f"#include <{name}>\n" for name in begun)
            unit = f"#include <{header}>\n{again}extern int keeps_the_unit_from_being_empty;\n"
            done = subprocess.run(command, input=unit, capture_output=True, text=True)
            if done.returncode:
                faults.append(f"{header}: {' '.join(command)}\n{done.stderr}")
    print("\n".join(faults) or f"{compiled} headers")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
