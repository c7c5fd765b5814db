#!/usr/bin/env bash
# Runs mpirun with the arguments given. Open MPI then also works as root and with fewer cores than processes.
set -euo pipefail

if [ "$(id -u)" -eq 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
export OMPI_MCA_rmaps_base_oversubscribe=1
# With binding, two programs that run at the same time would share cores while other cores idle. mpirun --bind-to
# overrides this.
export OMPI_MCA_hwloc_base_binding_policy=none

exec mpirun "$@"
