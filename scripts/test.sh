#!/usr/bin/env bash
# Builds and runs every test: first optimised, then with sanitizers. The last line tells how many passed and failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'EOF'
usage: scripts/test.sh [--no-setup] [--help]

Installs what is missing (scripts/setup.sh), then configures, builds and tests the presets release and asan. Exits
with 0 if every test passed. Build folders are build/release and build/asan.
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

exec </dev/null
[ $setup = no ] || scripts/setup.sh

passed=0 failed=0 skipped=0

# The number that an attribute of the report's <testsuite> element holds.
attribute() {
    sed -n "/<testsuite/,/>/s/.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p" "$2" | head -n 1
}

run_preset() {
    local preset=$1 report=build/$1/ctest.xml begin=$SECONDS
    echo "== $preset: configure and build"
    if ! { cmake --preset "$preset" && cmake --build --preset "$preset"; }; then
        echo "== $preset: the build failed"
        failed=$((failed + 1))
        return
    fi
    echo "== $preset: built in $((SECONDS - begin)) s; tests"
    begin=$SECONDS
    rm -f "$report"
    local code=0
    ctest --preset "$preset" -j "$(nproc)" --output-junit "$PWD/$report" || code=$?
    echo "== $preset: tests took $((SECONDS - begin)) s"
    local all=0 bad=0 not_run=0
    if [ -f "$report" ]; then
        all=$(attribute tests "$report")
        bad=$(attribute failures "$report")
        not_run=$(($(attribute skipped "$report") + $(attribute disabled "$report")))
    fi
    # ctest fails, too, where there are no tests or a test's program is not there.
    if [ $code -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
    fi
    passed=$((passed + all - bad - not_run)) failed=$((failed + bad)) skipped=$((skipped + not_run))
}

run_preset release
run_preset asan

line="$passed passed, $failed failed"
[ $skipped -eq 0 ] || line="$line, $skipped skipped"
echo "$line"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
