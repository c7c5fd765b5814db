#!/usr/bin/env bash
# Builds the two demonstrations and runs them: a radar image, and a two-dimensional Fourier transform.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

processes=4
real_data=../shared/data/gotcha
picture=demo/sar_image.png

usage() {
    cat <<EOF
usage: scripts/demo.sh [--no-setup] [--help]

Installs what is missing (scripts/setup.sh), builds the preset release, runs sar_image and two_stage_fft on
$processes processes, and leaves the radar image in $picture. The image is formed from the Gotcha data if they are in
$real_data, else from a simulated scene.
  --no-setup   install nothing; the packages that scripts/setup.sh --help lists must be there
EOF
}

setup=yes
for argument in "$@"; do
    case $argument in
    --no-setup) setup=no ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
    esac
done

[ $setup = no ] || scripts/setup.sh

echo "== build"
cmake --preset release
cmake --build --preset release --target sar_image two_stage_fft

data=()
if [ -d "$real_data" ]; then
    data=(--data "$real_data")
    echo "== sar_image on $processes processes, data from $real_data"
else
    echo "== sar_image on $processes processes, simulated scene: there is no $real_data"
fi
mkdir -p "${picture%/*}"
scripts/mpirun.sh -n $processes build/release/bin/sar_image "${data[@]}" --out "$picture"

echo "== two_stage_fft on $processes processes"
scripts/mpirun.sh -n $processes build/release/bin/two_stage_fft --rows 2048 --cols 2048 --frames 20

echo "== The radar image is in $PWD/$picture"
