#!/usr/bin/env bash
# This script runs a command with a temporary Kafka. HEADWATER_TEST_KAFKA has its
# address. If HEADWATER_TEST_KAFKA is set already, no broker is started.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ -n "${HEADWATER_TEST_KAFKA:-}" ] || docker info >/dev/null 2>&1; then
  exec "$@" # with Docker, the tests start a container themselves
fi
dir=$(mktemp -d)
read -r port controller < <(python3 -c '
import socket
open_ports = [socket.socket() for _ in range(2)]
for s in open_ports:
    s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in open_ports))')
"$here/kafka.sh" "$dir/data" "$port" "$controller" >"$dir/log" 2>&1 &
server=$!
stop() {
  kill -KILL "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  rm -rf "$dir"
}
trap stop EXIT
answers() { (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }
for _ in $(seq 600); do
  answers && break
  kill -0 "$server" 2>/dev/null || { cat "$dir/log" >&2; exit 1; }
  sleep 0.5
done
answers || { cat "$dir/log" >&2; exit 1; }
echo "Kafka is at 127.0.0.1:$port"
HEADWATER_TEST_KAFKA=127.0.0.1:$port "$@"
