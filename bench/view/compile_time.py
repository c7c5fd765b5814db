#!/usr/bin/env python3
"""How long a program that includes dri/dri.hpp compiles with -O0, beside one that includes the standard headers of it alone.

usage: compile_time.py [--repetitions N] [COMPILERS...]

Without compilers: g++ and clang++, as far as they are here. The programs compile alternately. Times are medians in seconds,
and the ratio is the median of the ratios of the rounds.
"""

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "include"
STANDARD = re.compile(r"^#include (<[a-z_]+>)$", re.MULTILINE)


def standard_headers():
    """What the headers of the interface include of the standard library."""
    headers = [INCLUDE / "dri/dri.hpp", *(INCLUDE / "dri/cpp").glob("*.hpp")]
    return sorted({name for header in headers for name in STANDARD.findall(header.read_text())})


def seconds(compiler, headers):
    text = "".join(f"#if __has_include({name})\n#include {name}\n#endif\n" for name in headers) + "int main() {}\n"
    command = [compiler, "-std=c++20", "-O0", "-I", INCLUDE, "-xc++", "-c", "-", "-o", "/dev/null"]
    begin = time.monotonic()
    subprocess.run(command, input=text, text=True, check=True)
    return time.monotonic() - begin


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--repetitions", type=int, default=7, help="rounds; 7 by default")
    asked.add_argument("compilers", nargs="*")
    options = asked.parse_args()
    if options.repetitions < 1:
        asked.error("--repetitions: at least 1")
    compilers = options.compilers or [name for name in ("g++", "clang++") if shutil.which(name)]
    standard = standard_headers()
    print(f"| compiler | `dri/dri.hpp`, s | its {len(standard)} standard headers, s | ratio |\n|---|---|---|---|")
    for compiler in compilers:
        face, base = [], []
        for _ in range(options.repetitions):
            face.append(seconds(compiler, ["<dri/dri.hpp>"]))
            base.append(seconds(compiler, standard))
        ratio = statistics.median(a / b for a, b in zip(face, base))
        print(f"| {compiler} | {statistics.median(face):.2f} | {statistics.median(base):.2f} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
