#!/usr/bin/env python3
"""The library exports exactly the symbols of exported.txt, and the headers declare exactly these.

usage: exported.py LIBRARY INCLUDE_FOLDER EXPORTED.TXT
"""

import re
import subprocess
import sys
from pathlib import Path


def of_library(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in lines.splitlines()}


def of_headers(folder):
    names = set()
    for header in Path(folder).rglob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
        names.update(re.findall(r"^DRI_API [^(;]*?(\w+)\(", text, re.MULTILINE))
        for variables in re.findall(r"^extern DRI_API const \w+ ([^;]*);", text, re.MULTILINE):
            names.update(name.strip() for name in variables.split(","))
        declared = len(re.findall(r"^(?:extern )?DRI_API\b", text, re.MULTILINE))
        understood = len(re.findall(r"^(?:DRI_API [^(;]*?\w+\(|extern DRI_API const \w+ [^;]*;)", text, re.MULTILINE))
        assert declared == understood, f"{header}: {declared} declarations, {understood} understood"
    return names


def main(library, include_folder, list_file):
    expected = Path(list_file).read_text().split()
    faults = [] if expected == sorted(set(expected)) else ["exported.txt is not sorted"]
    for what, found in (("library", of_library(library)), ("headers", of_headers(include_folder))):
        faults += [f"{name}: in the {what}, not in exported.txt" for name in sorted(found - set(expected))]
        faults += [f"{name}: in exported.txt, not in the {what}" for name in sorted(set(expected) - found)]
    print("\n".join(faults) or f"{len(expected)} symbols")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
