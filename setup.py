"""Builds the wheel from a checkout: CMake builds the extension and the library, setuptools packs them.

pip install --no-build-isolation .      DRI_BUILD_DIR=build/release reuses a build.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent


def version():
    text = (HERE / "include" / "dri" / "dri.h").read_text()
    return ".".join(re.search(rf"DRI_VERSION_{part} +(\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


class CMakeBuild(build_ext):
    """Configures and builds with CMake, then puts the extension, libdri and the headers into the package."""

    def run(self):
        build = Path(os.environ.get("DRI_BUILD_DIR", HERE / "build" / "wheel")).resolve()
        if not (build / "CMakeCache.txt").exists():
            off = [f"-D DRI_BUILD_{part}=OFF" for part in ("TESTS", "EXAMPLES", "BENCH")]
            options = " ".join([*off, "-D CMAKE_BUILD_TYPE=RelWithDebInfo", "-D DRI_UNITY=ON -D DRI_BUILD_PYTHON=ON"])
            generator = ["-G", "Ninja"] if shutil.which("ninja") else []
            self.call("cmake", "-S", HERE, "-B", build, *generator, f"-DDRI_PYTHON_EXECUTABLE={sys.executable}", *options.split())
        jobs = str(os.cpu_count() or 1)
        self.call("cmake", "--build", build, "--target", "dri_python", "--parallel", jobs)
        package = Path(self.build_lib) / "dri"
        (package / "lib").mkdir(parents=True, exist_ok=True)
        self.call("cmake", "--install", build, "--prefix", Path(self.build_temp).resolve() / "prefix")
        (extension,) = Path(self.build_temp).resolve().glob("prefix/**/dri/_dri*.so")
        shutil.copy(extension, package)
        (library,) = {path.resolve() for path in Path(self.build_temp).resolve().glob("prefix/**/libdri.so")}
        shutil.copy(library, package / "lib" / "libdri.so.0")
        shutil.copytree(HERE / "include", package / "include", dirs_exist_ok=True)

    def call(self, *command):
        subprocess.run([str(one) for one in command], check=True)


setup(
    version=version(),
    packages=["dri", "dri.graph"],
    package_data={"dri": ["py.typed", "_dri.pyi"]},
    ext_modules=[Extension("dri._dri", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
