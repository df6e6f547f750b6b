#!/usr/bin/env bash
# This script runs a command with several temporary Neo4j servers, which test processes take one
# after another: a server that has run for a while answers its first questions faster than a new
# one. Arguments: number of servers, command. HEADWATER_TEST_NEO4J_POOL has a directory for each
# server, with its address in the file "address" as soon as it answers. A process that uses a server
# has a lock on the file "lock". If HEADWATER_TEST_NEO4J is set, no server is started.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
count=${1:?number of servers}
shift
if [ -n "${HEADWATER_TEST_NEO4J:-}" ] || docker info >/dev/null 2>&1; then
  exec "$@" # with Docker, the tests start containers themselves
fi
pool=$(mktemp -d)
export NEO4J_CONF=$here/neo4j/tests.conf
servers=()
stop() {
  kill "${servers[@]}" 2>/dev/null || true
  wait "${servers[@]}" 2>/dev/null || true
  rm -rf "$pool"
}
trap stop EXIT
ports=$(python3 -c '
import socket, sys
socks = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in socks: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in socks))' "$count")
for port in $ports; do
  mkdir "$pool/$port"
  "$here/neo4j.sh" "$pool/$port/data" "$port" false >"$pool/$port/address" 2>"$pool/$port/log" &
  servers+=($!)
done
HEADWATER_TEST_NEO4J_POOL=$(printf '%s:' "$pool"/*) "$@"
