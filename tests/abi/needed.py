#!/usr/bin/env python3
"""At run time the library needs only MPI, spdlog with its formatter, Highway and the system's libraries.

usage: needed.py LIBRARY SONAME
"""

import re
import subprocess
import sys

ALLOWED = re.compile(r"(libmpi|libspdlog|libfmt|libhwy|libstdc\+\+|libgcc_s|libm|libc|ld-linux[-\w]*)\.so(\.|$)")


def main(library, soname):
    text = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True, check=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", text)
    faults = [f"needs {name}" for name in needed if not ALLOWED.match(name)]
    if not any(name.startswith("libc.so") for name in needed):
        faults.append(f"needs no C library: {needed}")
    found = re.findall(r"\(SONAME\).*\[(.+)\]", text)
    if found != [soname]:
        faults.append(f"soname {found}, not {soname}")
    print("\n".join(faults) or " ".join(needed))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
