#!/usr/bin/env bash
# Builds and runs the tests, also with sanitizers. The last line reports how many passed and failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'EOF'
usage: scripts/test.sh [--all] [--no-setup] [--help]

Installs missing packages (scripts/setup.sh), then configures, builds and tests the preset test. Some tests run with the
release build, some with a library compiled with sanitizers, and some with both. The exit code is 0 if every test passed.
The build folder is build/release. The ten slowest tests are listed, and whether all of it stayed within 12 minutes.
Less than everything runs, see tests/README.md: no benchmark, the outer surfaces on fewer process counts and without
sanitizers, fewer random cases.
  --all        run everything (preset all), which takes half as long again; ctest --preset all -L '^all$' then runs
               alone what is left out otherwise
  --no-setup   install nothing; the packages listed by scripts/setup.sh --help must be installed
EOF
}

setup=yes
preset=test
for argument in "$@"; do
    case $argument in
    --all) preset=all ;;
    --no-setup) setup=no ;;
    -h | --help) usage; exit 0 ;;
    *) echo "test: unknown argument '$argument'" >&2; usage >&2; exit 2 ;;
    esac
done

exec </dev/null
[ $setup = no ] || scripts/setup.sh

report=build/release/ctest.xml
budget=720 # seconds for all of it, on two idle cores

# Prints the number in an attribute of the report's <testsuite> element.
attribute() {
    sed -n "/<testsuite/,/>/s/.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p" "$report" | head -n 1
}

# Prints the seconds and the name of each test, the slowest first.
times() {
    sed -n 's/.*<testcase name="\([^"]*\)".* time="\([0-9.e+-]*\)".*/\2 \1/p' "$report" | sort -rg
}

begin=$SECONDS
first=$begin
echo "== configure and build"
if ! { cmake --preset $preset && cmake --build --preset $preset; }; then
    echo "== the build failed"
    echo "0 passed, 1 failed"
    exit 1
fi
echo "== built in $((SECONDS - begin)) s; tests"
begin=$SECONDS
rm -f "$report"
# The last mpirun that ends removes Open MPI's folder of sessions, and one that starts at that moment fails. A folder
# inside keeps it.
sessions=${TMPDIR:-/tmp}/ompi.$(hostname).$(id -u)
mkdir -p "$sessions/tests.$$"
trap 'rmdir "$sessions/tests.$$" "$sessions" 2>/dev/null || true' EXIT
code=0
# One job more than there are cores, because many tests only wait.
ctest --preset $preset -j $(($(nproc) + 1)) --output-junit "$PWD/$report" || code=$?
echo "== tests took $((SECONDS - begin)) s"

all=0 failed=0 skipped=0
if [ -f "$report" ]; then
    echo "== the ten slowest tests, in seconds"
    times | awk 'NR <= 10 { printf "%8.1f  %s\n", $1, $2 } { sum += $1 } END { printf "%8.1f  all %d, one by one\n", sum, NR }'
    all=$(attribute tests)
    failed=$(attribute failures)
    skipped=$(($(attribute skipped) + $(attribute disabled)))
fi
spent=$((SECONDS - first))
verdict=", within the budget of $budget s"
[ $spent -le $budget ] || verdict=", more than the budget of $budget s: the machine is busy, or the tests have grown"
[ $preset = test ] || verdict=
echo "== build and tests took $spent s$verdict"
passed=$((all - failed - skipped))
# ctest also fails if there are no tests, or if a test's program does not exist.
if [ $code -ne 0 ] && [ "$failed" -eq 0 ]; then
    failed=1
fi
line="$passed passed, $failed failed"
[ $skipped -eq 0 ] || line="$line, $skipped skipped"
echo "$line"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
