#!/usr/bin/env bash
# This script runs a command with a temporary Typesense. HEADWATER_TEST_TYPESENSE has the
# address of the server, HEADWATER_TEST_TYPESENSE_DIR has its data directory, and its key is
# headwater-test. If HEADWATER_TEST_TYPESENSE is set already, no server is started.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ -n "${HEADWATER_TEST_TYPESENSE:-}" ]; then
  exec "$@"
fi
dir=$(mktemp -d)
read -r port peering < <(python3 -c '
import socket
socks = [socket.socket() for _ in range(2)]
for s in socks: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in socks))')
"$here/typesense.sh" "$dir/data" "$port" "$peering" headwater-test 2>"$dir/log" &
server=$!
stop() {
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  rm -rf "$dir"
}
trap stop EXIT
healthy() { curl -fsS "http://127.0.0.1:$port/health" >/dev/null 2>&1; }
for _ in $(seq 600); do
  healthy && break
  kill -0 "$server" 2>/dev/null || { cat "$dir/log" >&2; exit 1; }
  sleep 0.5
done
healthy || { cat "$dir/log" >&2; exit 1; }
echo "Typesense is at http://127.0.0.1:$port"
HEADWATER_TEST_TYPESENSE=http://127.0.0.1:$port HEADWATER_TEST_TYPESENSE_DIR=$dir/data "$@"
