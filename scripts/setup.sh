#!/usr/bin/env bash
# Installs the Debian packages that the build, the tests, the demonstration and the documentation need, if they are missing.
set -euo pipefail

packages=(
    g++ cmake ninja-build pkg-config python3                   # build
    clang clang-format clang-tidy lld                          # second compiler, lint, linker
    libopenmpi-dev openmpi-bin libspdlog-dev libhwy-dev        # the library
    libfftw3-dev libfftw3-mpi-dev libmatio-dev libcairo2-dev   # examples
    libcli11-dev nlohmann-json3-dev libbenchmark-dev           # programs and benchmark
    libgtest-dev libgmock-dev librapidcheck-dev iproute2       # tests
    python3-dev python3-numpy python3-mpi4py pybind11-dev      # Python package
    python3-numexpr                                            # Python package: statements
    python3-setuptools python3-wheel python3-pip               # Python package: pip install
    python3-scipy python3-h5py                                 # Python package: examples
    python3-pytest python3-hypothesis mypy                     # Python package: tests
    doxygen python3-sphinx python3-myst-parser                 # documentation: scripts/docs.sh
    python3-breathe furo python3-matplotlib                    # documentation: its reference, theme and pictures
)

bench_packages=(
    libscalapack-openmpi-dev libpetsc-real-dev                 # peers of dri_bench
    python3-mpi4py-fft python3-dask python3-distributed        # peers of bench/python
)

usage() {
    cat <<EOF
usage: scripts/setup.sh [--bench] [--help]

Installs those of the following Debian 12 packages that are missing, with sudo where needed, and changes nothing else:
$(printf '  %s\n' "${packages[*]}" | fold -s -w 100 | sed '2,$s/^/  /')
  --bench   also the peers that the benchmarks compare with where they are there:
            ${bench_packages[*]}
EOF
}

bench=no
for argument in "$@"; do
    case $argument in
    --bench) bench=yes ;;
    -h | --help) usage; exit 0 ;;
    *) echo "setup: unknown argument '$argument'" >&2; usage >&2; exit 2 ;;
    esac
done
[ $bench = no ] || packages+=("${bench_packages[@]}")

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    cat >&2 <<EOF
setup: this script knows Debian 12, and this system has no apt. Install what corresponds to these Debian packages,
then run the other scripts with --no-setup:
  ${packages[*]}
EOF
    exit 1
fi

# shellcheck source=/dev/null
system=$([ ! -r /etc/os-release ] || . /etc/os-release && echo "${ID-} ${VERSION_ID-}")
if [ "$system" != "debian 12" ]; then
    echo "setup: this is ${system:-an unknown system}; the package names are those of Debian 12 and may not fit"
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing+=("$package")
done

if [ ${#missing[@]} -eq 0 ]; then
    echo "setup: all ${#packages[@]} packages are installed"
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: ${#missing[@]} packages are missing, and you are neither root nor is there sudo. As root, run:" >&2
        echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

echo "setup: installing ${#missing[@]} of ${#packages[@]} packages: ${missing[*]}"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
echo "setup: done"
