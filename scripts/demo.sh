#!/usr/bin/env bash
# Builds and runs the demonstrations: a radar image, a two-dimensional Fourier transform, the radar image in Python.
set -euo pipefail
caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

processes=4
beside=../shared/data/gotcha
picture=demo/sar_image.png
raw=demo/sar_image.f32

usage() {
    cat <<EOF
usage: scripts/demo.sh [--no-setup] [--data FOLDER] [--help]

Installs missing packages (scripts/setup.sh), builds the preset release, and runs sar_image and two_stage_fft on
$processes processes. Writes the radar image to $picture. Then forms the image a second time in Python, and fails if both
differ by more than 1e-4 of the peak.
  --no-setup      install nothing; the packages listed by scripts/setup.sh --help must be installed
  --data FOLDER   form the image from the files data_*.mat of the Gotcha Volumetric SAR data set (US Air Force Research
                  Laboratory, 2007) in FOLDER; default: $beside if it exists, otherwise a simulated scene
EOF
}

refuse() {
    echo "demo: $1" >&2
    usage >&2
    exit 2
}

setup=yes
folder=
while [ $# -gt 0 ]; do
    case $1 in
    --no-setup) setup=no ;;
    --data)
        case ${2-} in
        '') refuse "--data needs a folder" ;;
        /*) folder=$2 ;;
        *) folder=$caller/$2 ;;
        esac
        shift
        ;;
    -h | --help) usage; exit 0 ;;
    *) refuse "unknown argument '$1'" ;;
    esac
    shift
done

has_data() {
    local files=("$1"/data_*.mat)
    [ -e "${files[0]}" ]
}

# Check the folder before the build, which takes minutes.
if [ -z "$folder" ]; then
    has_data $beside && folder=$beside
elif ! has_data "$folder"; then
    echo "demo: there are no files data_*.mat in $folder" >&2
    exit 2
fi

[ $setup = no ] || scripts/setup.sh

echo "== build"
cmake --preset release
cmake --build --preset release --target sar_image two_stage_fft dri_python

data=()
if [ -n "$folder" ]; then
    data=(--data "$folder")
    echo "== sar_image on $processes processes, data from $folder"
else
    echo "== sar_image on $processes processes, a simulated scene; use --data for the Gotcha data set"
fi
mkdir -p "${picture%/*}"
scripts/mpirun.sh -n $processes build/release/bin/sar_image "${data[@]}" --out "$picture" --raw "$raw"

echo "== two_stage_fft on $processes processes"
scripts/mpirun.sh -n $processes build/release/bin/two_stage_fft --rows 2048 --cols 2048 --frames 20

# The interpreter that the package is built for; that of PATH may be another one.
python=$(sed -n 's/^DRI_PYTHON_EXECUTABLE:[A-Z]*=//p' build/release/CMakeCache.txt)
echo "== sar_image.py on $processes processes, compared with the image before"
PYTHONPATH=build/release/python scripts/mpirun.sh -n $processes "${python:-python3}" examples/python/sar_image.py \
    "${data[@]}" --out "${picture%.png}_python.png" --compare "$raw"

echo "== the radar images are in $PWD/${picture%/*}"
