#!/usr/bin/env bash
# Builds and runs every test, also with sanitizers. The last line tells how many passed and failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'EOF'
usage: scripts/test.sh [--no-setup] [--help]

Installs what is missing (scripts/setup.sh), then configures, builds and tests the preset test: the release build, and
the tests a second time with a library that is compiled with sanitizers. Exits with 0 if every test passed. The build
folder is build/release.
  --no-setup   install nothing; the packages that scripts/setup.sh --help lists must be there
EOF
}

setup=yes
for argument in "$@"; do
    case $argument in
    --no-setup) setup=no ;;
    -h | --help) usage; exit 0 ;;
    *) echo "test: unknown argument '$argument'" >&2; usage >&2; exit 2 ;;
    esac
done

exec </dev/null
[ $setup = no ] || scripts/setup.sh

report=build/release/ctest.xml

# The number that an attribute of the report's <testsuite> element holds.
attribute() {
    sed -n "/<testsuite/,/>/s/.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p" "$report" | head -n 1
}

begin=$SECONDS
echo "== configure and build"
if ! { cmake --preset test && cmake --build --preset test; }; then
    echo "== the build failed"
    echo "0 passed, 1 failed"
    exit 1
fi
echo "== built in $((SECONDS - begin)) s; tests"
begin=$SECONDS
rm -f "$report"
code=0
ctest --preset test -j "$(nproc)" --output-junit "$PWD/$report" || code=$?
echo "== tests took $((SECONDS - begin)) s"

all=0 failed=0 skipped=0
if [ -f "$report" ]; then
    all=$(attribute tests)
    failed=$(attribute failures)
    skipped=$(($(attribute skipped) + $(attribute disabled)))
fi
passed=$((all - failed - skipped))
# ctest fails, too, where there are no tests or a test's program is not there.
if [ $code -ne 0 ] && [ "$failed" -eq 0 ]; then
    failed=1
fi
line="$passed passed, $failed failed"
[ $skipped -eq 0 ] || line="$line, $skipped skipped"
echo "$line"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
