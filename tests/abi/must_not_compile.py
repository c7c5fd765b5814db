#!/usr/bin/env python3
"""What the C++ interface refuses, with the sentence that the compiler then says.

usage: must_not_compile.py INCLUDE_FOLDER CXX_COMPILERS...

The first comment of each file of must_not_compile/ is the sentence; `|` stands between those of different compilers. The
line that ends with `// error` is the mistake. Starting a compiler takes longer than a mistake, so each compiler reads
all files at once: without these lines there is no error; with them, each of the lines is reported, and each sentence.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent / "must_not_compile"
FLAGS = ["-std=c++20", "-fsyntax-only", "-xc++"]
ALL_ERRORS = {"clang": ["-ferror-limit=0"], "g++": ["-fmax-errors=0"]}


def compiled(compiler, folder, texts):
    """The output of the compiler for all texts {name: text} in one unit."""
    for name, text in texts.items():
        Path(folder, name).write_text(text)
    unit = "".join(f'#include "{name}"\n' for name in texts)
    limit = next((flags for word, flags in ALL_ERRORS.items() if word in Path(compiler).name), [])
    command = [compiler, *FLAGS, *limit, "-I", sys.argv[1], "-I", folder, "-"]
    return subprocess.run(command, input=unit, capture_output=True, text=True)


def without_mistake(text):
    return "".join(line for line in text.splitlines(keepends=True) if not line.endswith("// error\n"))


def faults_of(compiler, files):
    with tempfile.TemporaryDirectory() as folder:
        done = compiled(compiler, folder, {name: without_mistake(text) for name, text in files.items()})
        if done.returncode:
            yield f"{compiler}: the files do not compile without their mistakes:\n{done.stderr}"
            return
        done = compiled(compiler, folder, files)
    for name, text in files.items():
        lines = text.splitlines()
        mistake = next(i for i, line in enumerate(lines, 1) if line.endswith("// error"))
        if not re.search(rf"\b{re.escape(name)}:{mistake}\b", done.stderr):
            yield f"{compiler}: {name}:{mistake} is not reported"
        sentences = lines[0].removeprefix("// ").split("|")
        if not any(sentence in done.stderr for sentence in sentences):
            yield f"{compiler}: {name}: nothing says '{lines[0][3:]}'"


def main(*compilers):
    files = {path.name: path.read_text() for path in sorted(HERE.glob("*.cpp"))}
    assert files and compilers
    for name, text in files.items():
        assert text.count("// error\n") == 1, f"{name} has no line of error, or several"
    faults = [fault for compiler in compilers for fault in faults_of(compiler, files)]
    print("\n".join(faults) or f"{len(files)} mistakes are refused by {len(compilers)} compilers")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[2:]))
