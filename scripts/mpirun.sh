#!/usr/bin/env bash
# mpirun, with Open MPI told to work as root and with fewer cores than processes. Takes mpirun's own arguments.
set -euo pipefail

if [ "$(id -u)" -eq 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
export OMPI_MCA_rmaps_base_oversubscribe=1
# Bound processes would share a core while others idle, as soon as two programs run. mpirun --bind-to overrides it.
export OMPI_MCA_hwloc_base_binding_policy=none

exec mpirun "$@"
