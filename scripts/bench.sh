#!/usr/bin/env bash
# Runs the recorded benchmark cases and reports which goals hold.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

results=build/bench

usage() {
    cat <<EOF2
usage: scripts/bench.sh [--no-setup] [--large | --messages [--processes 4]] [dri_bench's arguments...]

Builds dri_bench and runs bench/cases/goals.txt on 2 processes, each bound to a core. The machine must be idle. Writes
$results/report.md, its plot and $results/report.json, and prints the missed goals at the end. The exit code is 0 if
every row delivered correct data, even if goals are missed.
  --no-setup     install nothing
  --large        also run bench/cases/large.txt, which needs up to 16 GB
  --messages     run only bench/cases/messages.txt, with the library restricted to messages (DRI_WAYS)
  --processes 4  the same with bench/cases/messages4.txt on 4 processes, which are bound only if each has a core
EOF2
}

setup=yes
messages=no
processes=2
files=(bench/cases/goals.txt)
arguments=()
while [ $# -gt 0 ]; do
    case $1 in
    --no-setup) setup=no ;;
    --large) files+=(bench/cases/large.txt) ;;
    --messages) messages=yes ;;
    --processes) processes=${2-}; shift $(($# > 1)) ;;
    -h | --help) usage; exit 0 ;;
    *) arguments+=("$1") ;;
    esac
    shift
done

if [[ $processes != [24] || ($processes = 4 && $messages = no) ]]; then
    usage >&2
    exit 2
fi
if [ $messages = yes ]; then
    if [ ${#files[@]} -gt 1 ]; then
        usage >&2
        exit 2
    fi
    files=(bench/cases/messages.txt)
    [ $processes = 2 ] || files=(bench/cases/messages4.txt)
    export DRI_WAYS=self,message
    [[ " ${arguments[*]-} " == *" --filter "* ]] || arguments+=(--filter '^(DRI|non-temporal|pack)')
fi
[ $setup = no ] || scripts/setup.sh --bench
cmake --preset release
cmake --build --preset release --target dri_bench

mkdir -p $results
cat "${files[@]}" >$results/cases.txt
binding=core
[ "$processes" -le "$(nproc)" ] || binding=none
scripts/mpirun.sh -n "$processes" --bind-to $binding build/release/bin/dri_bench --file $results/cases.txt \
    --json $results/report.json --report $results/report.md "${arguments[@]}" | tee $results/report.txt
scripts/bench_plot.py $results/report.json $results/report.md.svg

held=$(grep -c '^  goal: .*, holds$' $results/report.txt || true)
missed=$(grep -c '^  goal: .*, missed$' $results/report.txt || true)
echo
echo "== $held goals hold, $missed are missed; tables in $PWD/$results/report.md"
awk '/^[0-9]+B / { line = $0; sub(/   .*/, "", line) } /^  goal: .*, missed$/ { print line ":" substr($0, 8) }' \
    $results/report.txt
