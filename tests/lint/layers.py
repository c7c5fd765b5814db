#!/usr/bin/env python3
"""Modules include only modules below them, and outside code only what is public. usage: layers.py ROOT | --self-test"""

import re
import sys

from sources import c_files, main, without_comments

# Maps each module to the modules that it may include beside itself and base. The list is complete.
ALLOWED = {
    "api": {"commit", "exec", "model", "transport"},
    "commit": {"planner", "exec", "transport", "model", "plan"},
    "planner": {"model", "plan"},
    "exec": {"flow", "plan", "kernel", "transport"},
    "kernel": {"plan"},
    "flow": set(),
    "plan": set(),
    "model": set(),
    "transport": set(),
    "base": set(),
}
# Outer modules stand on the public interface: they include its headers, and none of the modules above but base.
# `outer` is what they share.
OUTER = {"outer": set(), "dap": {"outer"}, "domain": {"outer"}, "array": {"outer"}, "graph": {"outer"}}
# The public headers that an outer module defines, if it is not the one of its own name.
OUTER_HEADERS = {"range": "domain", "map": "domain", "array": "domain", "piece": "array", "loop": "array", "graph_plan": "graph",
                 "graph_run": "graph"}
MODULES = ALLOWED | OUTER
OUTSIDERS = ("dri/", "examples/", "bench/", "tests/abi/")
# Public headers that a module includes for their constants: the vocabulary that it shares with the interface.
PUBLIC = {("base", "dri/codes.h"), ("commit", "dri/attributes.h")}
PUBLIC_TEXT = ", ".join(f"{module} {header}" for module, header in sorted(PUBLIC))
# These programs measure internal parts.
INSIDERS = ("bench/plan/", "bench/commit/", "bench/kernel/", "bench/overhead/")
SIMD = re.compile(r"hwy/|(\w*mmintrin|immintrin|x86intrin|arm_neon|arm_sve|riscv_vector|altivec)\.h$")


def lint(root):
    mpi_users, environment_readers = [], []
    for path in c_files(root):
        name, text = path.as_posix(), without_comments((root / path).read_text())
        in_src = name.startswith("src/")
        module = path.parts[1] if in_src else None
        if in_src and module not in MODULES:
            yield f"{name}: {module} is no module"
            continue
        if in_src and re.search(r"\b(secure_)?getenv\b", text):
            environment_readers.append(name)
        for line, header in includes(text):
            where, first = f"{name}:{line}", header.split("/")[0]
            if in_src and "/" in header and first in MODULES and first not in MODULES[module] | {module, "base"}:
                yield f"{where}: {module} must not include {header}"
            outside = name.startswith(OUTSIDERS) and not name.startswith(INSIDERS)
            if outside and first in MODULES and "/" in header:
                yield f"{where}: includes {header} from behind the interface"
            if first == "dri" and in_src and module not in {"api", *OUTER} and (module, header) not in PUBLIC:
                yield f"{where}: only api and outer modules include public headers (and {PUBLIC_TEXT}), not {header}"
            if SIMD.search(header) and in_src and module != "kernel":
                yield f"{where}: only kernel holds SIMD code, not {header}"
            if header == "mpi.h" and module == "api":
                mpi_users.append(name)
            elif header == "mpi.h" and (in_src or name.startswith("include/")):
                if name != "include/dri/dri_mpi.h" and not name.startswith("src/transport/mpi_"):
                    yield f"{where}: must not include mpi.h"
            elif header == "dri/dri_mpi.h" and in_src:
                mpi_users.append(name)
    if len(set(mpi_users)) > 1:
        yield f"only one file of api may know MPI, not {', '.join(sorted(set(mpi_users)))}"
    if len(environment_readers) > 1 or any(not name.startswith("src/base/") for name in environment_readers):
        yield f"only one file of base may call getenv, not {', '.join(environment_readers)}"


def includes(text):
    for line, content in enumerate(text.split("\n"), 1):
        found = re.match(r"\s*#\s*(?:include|include_next)\s*[<\"]([^>\"]+)[>\"]", content)
        if found:
            yield line, found.group(1)


GOOD = {
    "include/dri/codes.h": "",
    "include/dri/dri_mpi.h": "#include <mpi.h>\n",
    "src/base/env.cpp": '#include <dri/codes.h>\nauto x = std::getenv("A");\n',
    "src/kernel/fast.cpp": '#include "plan/plan.hpp"\n#include <hwy/highway.h>\n// #include "api/guard.hpp"\n',
    "src/transport/mpi_world.cpp": '#include "base/wire.hpp"\n#include <mpi.h>\n',
    "src/dap/maps.cpp": '#include "base/error.hpp"\n#include "outer/calls.hpp"\n#include <dri/dap.h>\n',
    "src/api/dri_mpi.cpp": '#include "commit/match.hpp"\n#include <dri/dri_mpi.h>\n#include <mpi.h>\n',
    "examples/turn.c": "#include <dri/dri.h>\n#include <mpi.h>\n",
    "bench/plan/jobs.cpp": '#include "planner/side.hpp"\n',
    "tests/unit/plan.cpp": '#include "plan/plan.hpp"\n#include <mpi.h>\n',
}
BAD = [
    ("src/base/wire.hpp", '#include "model/gdo.hpp"\n', "base must not include model/gdo.hpp"),
    ("src/planner/pieces.cpp", '#include "transport/transport.hpp"\n', "planner must not include"),
    ("src/exec/run.cpp", '  #  include  "model/gdo.hpp"\n', "exec must not include"),
    ("src/api/gdo.cpp", '#include "planner/planner.hpp"\n', "api must not include"),
    ("src/model/gdo.cpp", "#include <dri/gdo.h>\n", "only api and outer modules include"),
    ("src/base/error.hpp", "#include <dri/gdo.h>\n", "only api and outer modules include"),
    ("src/transport/loopback.cpp", "#include <mpi.h>\n", "must not include mpi.h"),
    ("include/dri/env.h", "#include <mpi.h>\n", "must not include mpi.h"),
    ("src/api/group.cpp", "#include <mpi.h>\n", "only one file of api"),
    ("src/api/group.cpp", "#include <dri/dri_mpi.h>\n", "only one file of api"),
    ("src/flow/ledger.hpp", '#include "transport/departures.hpp"\n', "flow must not include"),
    ("src/base/log.cpp", 'auto y = getenv("B");\n', "only one file of base"),
    ("src/base/env.cpp", "#include <immintrin.h>\n", "SIMD"),
    ("src/plan/fast.cpp", "#include <hwy/highway.h>\n", "SIMD"),
    ("src/dap/maps.cpp", '#include "model/gdo.hpp"\n', "dap must not include"),
    ("src/dap/maps.cpp", "#include <mpi.h>\n", "must not include mpi.h"),
    ("src/dap/maps.cpp", '#include "domain/boxes.hpp"\n', "dap must not include"),
    ("src/extra/new.cpp", "", "no module"),
    ("examples/peek.cpp", '#include "model/gdo.hpp"\n', "behind the interface"),
    ("bench/case.cpp", '#include "plan/plan.hpp"\n', "behind the interface"),
]

if __name__ == "__main__":
    sys.exit(main(lint, GOOD, BAD))
