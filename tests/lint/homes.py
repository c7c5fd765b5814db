#!/usr/bin/env python3
"""What include/dri/X.h declares is defined in src/api/X.cpp, in the same order. Where src/X is an outer module, it is
defined in the files of src/X, and each of these keeps the order. usage: homes.py ROOT | --self-test"""

import re
import sys

from layers import OUTER, OUTER_HEADERS
from sources import main, without_comments


def lint(root):
    homes = {}
    for path in sorted((root / "include" / "dri").glob("*.h")):
        declared = declared_in(without_comments(path.read_text()))
        homes.update({name: path.stem for name in declared})
        if not declared:
            continue
        home, sources = files_of(root, path.stem)
        if not sources:
            yield f"{home} does not exist, but {path.stem}.h declares {declared[0]}"
            continue
        found = set()
        for source in sources:
            defined = [name for name in defined_in(without_comments(source.read_text())) if name in declared]
            found.update(defined)
            in_order = [name for name in declared if name in defined]
            for name, expected in zip(defined, in_order):
                if name != expected:
                    where = source.relative_to(root).as_posix()
                    yield f"{where} defines {name} where {path.stem}.h declares {expected}"
                    break
        for name in declared:
            if name not in found:
                yield f"{home} does not define {name}, which {path.stem}.h declares"
    for source in sorted((root / "src").rglob("*.cpp")):
        for name in defined_in(without_comments(source.read_text())):
            if name not in homes or source not in files_of(root, homes[name])[1]:
                where = source.relative_to(root).as_posix()
                yield f"{where} defines {name}, which is declared in {homes.get(name, 'no public header')}"


def files_of(root, header):
    """Where the names of a header are defined, in words and as the files that exist."""
    module = OUTER_HEADERS.get(header, header)
    if module in OUTER:
        return f"src/{module}", sorted((root / "src" / module).glob("*.cpp"))
    home = f"src/api/{header}.cpp"
    return home, [path for path in [root / home] if path.exists()]


def declared_in(header):
    """The functions and objects that a header exports, in its order."""
    names = []
    for declaration in re.findall(r"^(?:extern )?DRI_API\b([^;]*);", header, re.MULTILINE):
        function = re.search(r"\b(DRI_\w+)\s*\(", declaration)
        names += [function.group(1)] if function else re.findall(r"\b(DRI_\w+)\s*(?:,|$)", declaration)
    return names


def defined_in(source):
    """The functions and objects with external names that a source defines, in its order."""
    pattern = r"^(?:const )?(?:\w+ \*?)(DRI_\w+)(?:\([^;{]*\)\s*\{|\s*=)"
    return re.findall(pattern, source, re.MULTILINE)


HEADER = """/* DRI_API int DRI_in_comment(void); */
extern DRI_API const DRI_T DRI_A,
    DRI_B;
DRI_API int DRI_f(int a,
                  int b);
DRI_API const char *DRI_g(int (*call)(int));
"""
SOURCE = """const DRI_T DRI_A = {1};
const DRI_T DRI_B = dri::make(2);
int DRI_f(int a,
          int b) {
    return DRI_g(0) ? a : b;
}
const char *DRI_g(int (*call)(int)) { return ""; }
"""
GOOD = {
    "include/dri/f.h": HEADER,
    "include/dri/all.h": "#include <dri/f.h>\n#define DRI_API\n",
    "src/api/f.cpp": SOURCE,
    "include/dri/dap.h": "DRI_API int DRI_dap_f(int a);\nDRI_API int DRI_dap_g(int a);\n",
    "include/dri/map.h": "DRI_API int DRI_map_f(int a);\n",
    "src/domain/maps.cpp": "int DRI_map_f(int a) { return a; }\n",
    "src/dap/one.cpp": "int DRI_dap_g(int a) { return a; }\n",
    "src/dap/other.cpp": "int DRI_dap_f(int a) { return a; }\n",
    "src/api/other.cpp": "int helper(int) { return DRI_f(1, 2); }\n",
}
G = 'const char *DRI_g(int (*call)(int)) { return ""; }\n'
BAD = [
    ("src/api/f.cpp", SOURCE.replace("DRI_f(int a", "DRI_h(int a"), "does not define DRI_f"),
    ("src/api/f.cpp", SOURCE.replace("DRI_B =", "DRI_C ="), "does not define DRI_B"),
    ("src/api/f.cpp", G + SOURCE.replace(G, ""), "defines DRI_g where f.h declares DRI_A"),
    ("src/api/other.cpp", "int DRI_f(int a, int b) { return a; }\n", "src/api/other.cpp defines DRI_f"),
    ("src/dap/other.cpp", "int DRI_dap_h(int a) { return a; }\n", "src/dap does not define DRI_dap_f"),
    ("src/api/other.cpp", "int DRI_dap_f(int a) { return a; }\n", "other.cpp defines DRI_dap_f"),
    ("src/commit/g.cpp", "int DRI_k(void) { return 0; }\n", "declared in no public header"),
    ("include/dri/g.h", "DRI_API int DRI_new(void);\n", "src/api/g.cpp does not exist"),
]

if __name__ == "__main__":
    sys.exit(main(lint, GOOD, BAD))
