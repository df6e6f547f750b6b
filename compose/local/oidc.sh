#!/usr/bin/env bash
# An identity provider (OpenID Connect) for tests, in the foreground:
#   oidc.sh PORT
# The script installs the npm package oidc-provider once, as the lock file in
# access/oidc/testdata/provider says, into ~/.cache/headwater. The accounts and clients are in server.js
# of that folder. The provider is ready when GET /.well-known/openid-configuration answers.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
source=$root/access/oidc/testdata/provider
cache=${HEADWATER_CACHE:-$HOME/.cache/headwater}/oidc-provider-$(cat "$source"/package-lock.json "$source"/server.js | sha256sum | cut -c 1-16)

mkdir -p "$cache"
(
  flock 9
  [ -f "$cache/complete" ] && exit
  echo "oidc.sh: installing the identity provider into $cache" >&2
  cp "$source"/package.json "$source"/package-lock.json "$source"/server.js "$cache"
  "$root/web/node.sh" npm ci --prefix "$cache" --no-audit --no-fund --loglevel=error >&2
  touch "$cache/complete"
) 9> "$cache/lock"
exec "$root/web/node.sh" node "$cache/server.js" "$1"
