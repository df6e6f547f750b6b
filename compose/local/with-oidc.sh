#!/usr/bin/env bash
# This script runs a command with a temporary identity provider. HEADWATER_TEST_OIDC has its issuer. If
# HEADWATER_TEST_OIDC is set already, no provider is started.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ -n "${HEADWATER_TEST_OIDC:-}" ]; then
  exec "$@"
fi
dir=$(mktemp -d)
port=$(python3 -c '
import socket
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    print(s.getsockname()[1])')
"$here/oidc.sh" "$port" >"$dir/log" 2>&1 &
server=$!
stop() {
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  rm -rf "$dir"
}
trap stop EXIT
ready() { curl -fsS "http://127.0.0.1:$port/.well-known/openid-configuration" >/dev/null 2>&1; }
for _ in $(seq 600); do
  ready && break
  kill -0 "$server" 2>/dev/null || { cat "$dir/log" >&2; exit 1; }
  sleep 0.5
done
ready || { cat "$dir/log" >&2; exit 1; }
echo "The identity provider is http://127.0.0.1:$port"
HEADWATER_TEST_OIDC=http://127.0.0.1:$port "$@"
