#!/usr/bin/env python3
"""What include/dri/X.h declares is defined in src/api/X.cpp, in the same order. usage: homes.py ROOT | --self-test"""

import re
import sys

from sources import main, without_comments


def lint(root):
    homes = {}
    for path in sorted((root / "include" / "dri").glob("*.h")):
        text = without_comments(path.read_text())
        declared = declared_in(text)
        homes.update({name: path.stem for name in declared})
        source = root / "src" / "api" / f"{path.stem}.cpp"
        if not declared:
            continue
        if not source.exists():
            yield f"src/api/{path.stem}.cpp does not exist, but {path.stem}.h declares {declared[0]}"
            continue
        defined = [name for name in defined_in(without_comments(source.read_text())) if name in declared]
        for name in declared:
            if name not in defined:
                yield f"src/api/{path.stem}.cpp does not define {name}, which {path.stem}.h declares"
        in_order = [name for name in declared if name in defined]
        for name, expected in zip(defined, in_order):
            if name != expected:
                yield f"src/api/{path.stem}.cpp defines {name} where {path.stem}.h declares {expected}"
                break
    for source in sorted((root / "src").rglob("*.cpp")):
        where = source.relative_to(root).as_posix()
        for name in defined_in(without_comments(source.read_text())):
            if where != f"src/api/{homes.get(name)}.cpp":
                yield f"{where} defines {name}, which is declared in {homes.get(name, 'no public header')}"


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
    "src/api/other.cpp": "int helper(int) { return DRI_f(1, 2); }\n",
}
G = 'const char *DRI_g(int (*call)(int)) { return ""; }\n'
BAD = [
    ("src/api/f.cpp", SOURCE.replace("DRI_f(int a", "DRI_h(int a"), "does not define DRI_f"),
    ("src/api/f.cpp", SOURCE.replace("DRI_B =", "DRI_C ="), "does not define DRI_B"),
    ("src/api/f.cpp", G + SOURCE.replace(G, ""), "defines DRI_g where f.h declares DRI_A"),
    ("src/api/other.cpp", "int DRI_f(int a, int b) { return a; }\n", "src/api/other.cpp defines DRI_f"),
    ("src/commit/g.cpp", "int DRI_k(void) { return 0; }\n", "declared in no public header"),
    ("include/dri/g.h", "DRI_API int DRI_new(void);\n", "src/api/g.cpp does not exist"),
]

if __name__ == "__main__":
    sys.exit(main(lint, GOOD, BAD))
