#!/usr/bin/env bash
# Makes the pictures of the manual anew: drawings, and what the example programs draw.
set -euo pipefail
caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

pictures=docs/pictures
processes=4

usage() {
    cat <<EOF2
usage: scripts/pictures.sh [--no-setup] [--data FOLDER] [--help]

Draws the drawings of $pictures (docs/pictures/draw.py), builds the example programs and runs them on $processes processes
for their pictures: the radar image, the range-Doppler map, the bearing-time record, and the tour of the Python package.
They are checked in.
  --no-setup      install nothing; the packages that scripts/setup.sh --help lists must be there
  --data FOLDER   form the radar image from the files data_*.mat of the Gotcha Volumetric SAR data set (US Air Force
                  Research Laboratory, 2007) in FOLDER; without it the radar image stays as it is
EOF2
}

refuse() {
    echo "pictures: $1" >&2
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

[ $setup = no ] || scripts/setup.sh
cmake --preset release
cmake --build --preset release --target sar_image range_doppler sonar_beamformer dri_python

$pictures/draw.py
run() {
    scripts/mpirun.sh -n $processes "build/release/bin/$1" --out "$pictures/$1.png" "${@:2}"
}
[ -z "$folder" ] || run sar_image --data "$folder"
run range_doppler
run sonar_beamformer
python=$(sed -n 's/^DRI_PYTHON_EXECUTABLE:[A-Z]*=//p' build/release/CMakeCache.txt)
PYTHONPATH=build/release/python scripts/mpirun.sh -n $processes "${python:-python3}" examples/python/tour.py $pictures
echo "== The pictures are in $PWD/$pictures: look at them before you check them in"
