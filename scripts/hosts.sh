#!/usr/bin/env bash
# Runs mpirun over several hosts that exist for this run alone: network namespaces with a name of their own, joined by
# a bridge. Processes of different hosts share no memory and exchange all bytes over TCP.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
    cat <<'EOF'
usage: scripts/hosts.sh [--help] HOSTS [arguments of mpirun]
       scripts/hosts.sh 3 -n 6 --map-by node build/release/bin/mpi_transfer

Makes HOSTS network namespaces (2 to 9), runs mpirun over them, and removes them. Needs root and iproute2. The network
is 10.173.77.0/24, on a bridge of this machine that leads nowhere else.
EOF
}

case ${1:-} in
-h | --help) usage; exit 0 ;;
[2-9]) [ $# -gt 1 ] || { usage >&2; exit 2; } ;;
*) echo "hosts: '${1:-}' is no number of hosts" >&2; usage >&2; exit 2 ;;
esac
hosts=$1
shift
[ "$(id -u)" -eq 0 ] || { echo "hosts: only root can make network namespaces" >&2; exit 77; }
command -v ip >/dev/null || { echo "hosts: install iproute2" >&2; exit 77; }

mark=dri$$ # several runs do not meet
agent=$(mktemp)
remove() {
    for ((i = 1; i <= hosts; ++i)); do ip netns del "${mark}_$i" 2>/dev/null || true; done
    rm -f "$agent"
}
trap remove EXIT

in_host() { ip netns exec "${mark}_$1" "${@:2}"; }
add_host() {
    in_host 1 ip link add "to$1" type veth peer name eth netns "${mark}_$1" &&
        in_host 1 ip link set "to$1" master bridge up &&
        in_host "$1" ip link set lo up &&
        in_host "$1" ip addr add "10.173.77.$1/24" dev eth &&
        in_host "$1" ip link set eth up
}
# The bridge lies in the first host's namespace, from which mpirun starts.
add_network() {
    for ((i = 1; i <= hosts; ++i)); do ip netns add "${mark}_$i" || return; done
    in_host 1 ip link add bridge type bridge &&
        in_host 1 ip addr add 10.173.77.1/24 dev bridge &&
        in_host 1 ip link set bridge up &&
        in_host 1 ip link set lo up || return
    for ((i = 2; i <= hosts; ++i)); do add_host "$i" || return; done
}
add_network || { echo "hosts: this system allows no network of namespaces" >&2; exit 77; }

# mpirun starts its daemons with this instead of ssh. A host is named after its address.
cat >"$agent" <<EOF
#!/usr/bin/env bash
i=\${1##*.}
shift
exec ip netns exec ${mark}_\$i unshare --uts bash -c 'hostname host'\$i'; '"\$*"
EOF
chmod +x "$agent"

list=10.173.77.1
for ((i = 2; i <= hosts; ++i)); do list+=,10.173.77.$i; done
export OMPI_MCA_plm_rsh_agent=$agent OMPI_MCA_oob_tcp_if_include=10.173.77.0/24 OMPI_MCA_btl_tcp_if_include=10.173.77.0/24
export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_pml=ob1
# Processes of one host share memory there. Its folder must not be that of the others.
in_host 1 unshare --uts bash -c 'hostname host1; exec "$@"' mpirun "$here/mpirun.sh" --host "$list" "$@"
