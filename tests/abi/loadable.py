#!/usr/bin/env python3
"""A running program can load the library, as Python does. Static thread-local storage would prevent it: the system
reserves little of that for libraries that come late.

usage: loadable.py LIBRARY
"""

import ctypes
import subprocess
import sys


def main(library):
    faults = []
    try:
        ctypes.CDLL(library).DRI_version
    except (OSError, AttributeError) as error:
        faults.append(str(error))
    text = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True, check=True).stdout
    if "STATIC_TLS" in text:
        faults.append("has static thread-local storage")
    print("\n".join(faults) or "loaded")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
