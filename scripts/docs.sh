#!/usr/bin/env bash
# Builds the documentation site: Doxygen reads the public headers, Sphinx the pages of docs/.
set -euo pipefail
caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=build/docs

usage() {
    cat <<EOF2
usage: scripts/docs.sh [--no-setup] [--out FOLDER] [--help]

Installs what is missing (scripts/setup.sh), then builds the documentation from scratch. It needs no network afterwards.
Any warning fails the build. The pages are in FOLDER/html; open FOLDER/html/index.html in a browser.
  --no-setup     install nothing; doxygen, sphinx-build and the packages of setup.sh for the documentation must be there
  --out FOLDER   write to this folder; default: $folder
EOF2
}

refuse() {
    echo "docs: $1" >&2
    usage >&2
    exit 2
}

setup=yes
while [ $# -gt 0 ]; do
    case $1 in
    --no-setup) setup=no ;;
    --out)
        case ${2-} in
        '') refuse "--out needs a folder" ;;
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
for program in doxygen sphinx-build; do
    if ! command -v $program >/dev/null; then
        echo "docs: $program is not installed; scripts/setup.sh installs it" >&2
        exit 1
    fi
done

# What an earlier build left would hide warnings and keep pages that are gone.
rm -rf "$folder/xml" "$folder/doctrees" "$folder/html"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# The filter runs for each header. The interpreter itself starts sooner than the shim of a version manager.
python=$(python3 -c 'import sys; print(sys.executable)')

code=0
echo "== doxygen"
doxygen - <<EOF2 || code=1
@INCLUDE = docs/Doxyfile
OUTPUT_DIRECTORY = "$folder"
INPUT_FILTER = "$python -B docs/doxygen_filter.py"
EOF2
echo "== sphinx"
export PYTHONDONTWRITEBYTECODE=1
export DRI_DOCS_XML=$folder/xml
sphinx-build -b html -q -n -W --keep-going -d "$folder/doctrees" docs "$folder/html" || code=1
if [ $code -ne 0 ]; then
    echo "docs: there are warnings" >&2
    exit 1
fi
echo "== The site is in $folder/html/index.html"
