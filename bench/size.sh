#!/usr/bin/env bash
# Measures what datasets take in the embedded store, and what others take in a throw-away
# Neo4j, whose files are complete only when it has ended.
# Arguments: datasets in the embedded store, datasets in Neo4j.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
compose/local/neo4j.sh "$dir/neo4j" "$port" false >"$dir/log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
for _ in $(seq 600); do
  grep -q '^ready' "$dir/log" && break
  kill -0 "$server" 2>/dev/null || { cat "$dir/log" >&2; exit 1; }
  sleep 0.5
done
go run ./bench -only size -embedded-datasets "$1" -neo4j-datasets "$2" -neo4j "bolt://127.0.0.1:$port"
kill "$server"
wait "$server" 2>/dev/null || true
echo "neo4j: its store has $(du -sm "$dir/neo4j/data/databases/neo4j" | cut -f1) MiB, its transaction logs $(du -sm "$dir/neo4j/data/transactions/neo4j" | cut -f1) MiB"
