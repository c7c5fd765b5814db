#!/usr/bin/env bash
# Measures how the time of a frame grows and writes the tables and plots of docs/growth.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<EOF2
usage: scripts/growth.sh [--no-setup] [--docs] [--help]

Builds the benchmarks and measures frames: against the array's size (64 to 16384 squared), against the number of
processes (1 to 8), and almost without data against the number of peers (up to 255). The machine must be idle. The
measurement takes 15 minutes and 5 GB. Writes build/growth/growth.md, its plots, and all numbers as JSON. To run one
step alone, see scripts/growth.py --help.
  --no-setup   install nothing
  --docs       also replace the tables and plots of docs/growth.md
EOF2
}

setup=yes
docs=()
for argument in "$@"; do
    case $argument in
    --no-setup) setup=no ;;
    --docs) docs=(--docs docs/growth.md) ;;
    -h | --help) usage; exit 0 ;;
    *) echo "growth: unknown argument '$argument'" >&2; usage >&2; exit 2 ;;
    esac
done

[ $setup = no ] || scripts/setup.sh
cmake --preset release
cmake --build --preset release --target dri_bench overhead_bench

for round in 1 2 3; do
    for step in sizes ranks overhead; do
        echo "== round $round: $step"
        scripts/growth.py --round $round $step
    done
done
scripts/growth.py "${docs[@]}" report
echo "== tables and plots are in $PWD/build/growth"
