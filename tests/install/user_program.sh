#!/usr/bin/env bash
# Installs a build into a scratch prefix, and builds and runs a program outside the tree with what was installed.
# usage: user_program.sh find_package|pkg-config BUILD_FOLDER COMPILER PROGRAM.c|PROGRAM.cpp MPIRUN VERSION
set -euo pipefail
way=$1 build=$2 compiler=$3 source=$4 mpirun=$5 version=$6

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/first" >/dev/null
# The installed tree is moved before its use: no file in it may contain its first path.
mv "$scratch/first" "$scratch/prefix"
prefix=$scratch/prefix
mkdir "$scratch/program"
case $source in
*.cpp) language=CXX file=program.cpp standard=c++20 feature=cxx_std_20 ;;
*) language=C file=program.c standard=c99 feature=c_std_99 ;;
esac
cp "$source" "$scratch/program/$file"
cd "$scratch/program"

case $way in
find_package)
    cat >CMakeLists.txt <<EOF
cmake_minimum_required(VERSION 3.25)
project(program $language)
find_package(dri $version REQUIRED)
add_executable(program $file)
target_compile_features(program PRIVATE $feature)
target_link_libraries(program PRIVATE dri::dri)
EOF
    # The project's own presets need Ninja, so it exists. make may be missing.
    cmake -G Ninja -S . -B build -D CMAKE_BUILD_TYPE=Release -D CMAKE_${language}_COMPILER="$compiler" -D CMAKE_PREFIX_PATH="$prefix" >log ||
        { cat log; exit 1; }
    cmake --build build
    program=$PWD/build/program
    ;;
pkg-config)
    pc=$(find "$prefix" -name libdri.pc)
    export PKG_CONFIG_PATH=${pc%/*}
    [ "$(pkg-config --modversion libdri)" = "$version" ]
    # The prefix must not contain blanks, because the shell splits the output of pkg-config into words here.
    # shellcheck disable=SC2046
    "$compiler" -std=$standard -pedantic-errors -Wall -Werror $(pkg-config --cflags libdri) "$file" -o program \
        $(pkg-config --libs libdri)
    program=$PWD/program
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir libdri)
    export LD_LIBRARY_PATH
    ;;
*)
    echo "unknown way: $way" >&2
    exit 2
    ;;
esac

ldd "$program" | grep -F "$prefix" >/dev/null || { echo "does not use the installed library" >&2; exit 1; }
"$mpirun" -n 2 "$program"
