#!/usr/bin/env bash
# This script runs a command with a temporary Neo4j. HEADWATER_TEST_NEO4J has its
# address. If HEADWATER_TEST_NEO4J is set already, no server is started.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ -n "${HEADWATER_TEST_NEO4J:-}" ] || docker info >/dev/null 2>&1; then
  exec "$@" # with Docker, the tests start a container themselves
fi
dir=$(mktemp -d)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$here/neo4j.sh" "$dir/data" "$port" false >"$dir/log" 2>&1 &
server=$!
stop() {
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  rm -rf "$dir"
}
trap stop EXIT
for _ in $(seq 600); do
  grep -q '^ready' "$dir/log" && break
  kill -0 "$server" 2>/dev/null || { cat "$dir/log" >&2; exit 1; }
  sleep 0.5
done
grep -q '^ready' "$dir/log" || { cat "$dir/log" >&2; exit 1; }
echo "Neo4j is at bolt://127.0.0.1:$port"
HEADWATER_TEST_NEO4J=bolt://127.0.0.1:$port "$@"
